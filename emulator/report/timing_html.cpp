// SPDX-License-Identifier: MIT
// Copyright (c) the r9v authors
//
// One page that needs no network: the JSON of the report, and a script that draws it.
#include "timing_report.hpp"

namespace r9v_emulator::report {
namespace {

constexpr const char* head = R"html(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>r9v-emulator report</title>
<style>
:root{--back:#f6f7f9;--card:#fff;--ink:#1c2330;--soft:#667085;--line:#e3e7ee;--a:#c8102e;--b:#2563eb;
--c:#0d9488;--d:#b45309;--e:#7c3aed}
@media(prefers-color-scheme:dark){:root{--back:#10141b;--card:#181e28;--ink:#e6eaf2;--soft:#93a0b4;
--line:#2a3342;--a:#ff5a6e;--b:#6ea8fe;--c:#2dd4bf;--d:#fbbf24;--e:#b794f4}}
*{box-sizing:border-box}body{margin:0;background:var(--back);color:var(--ink);
font:14px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
main{max-width:1180px;margin:0 auto;padding:28px 20px 60px}
h1{font-size:22px;margin:0}h2{font-size:15px;margin:0 0 10px}header p{color:var(--soft);margin:4px 0 20px}
section{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:18px;margin:0 0 18px}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;margin-bottom:18px}
.tile{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:12px 16px}
.tile b{display:block;font-size:20px}.tile span{color:var(--soft);font-size:12px}
table{border-collapse:collapse;width:100%}td,th{padding:6px 8px;text-align:right;white-space:nowrap}
th{color:var(--soft);font-weight:500;font-size:12px;border-bottom:1px solid var(--line)}
td:first-child,th:first-child{text-align:left;max-width:430px;overflow:hidden;text-overflow:ellipsis}
tbody tr{cursor:pointer}tbody tr:hover,tbody tr.on{background:color-mix(in srgb,var(--b) 9%,transparent)}
.columns{display:grid;grid-template-columns:1fr 1fr;gap:24px}@media(max-width:820px){.columns{grid-template-columns:1fr}}
.bar{display:grid;grid-template-columns:130px 1fr 48px;gap:8px;align-items:center;font-size:13px}
.bar i{display:block;height:10px;border-radius:5px;background:var(--line);overflow:hidden}
.bar i u{display:block;height:100%;background:var(--b)}.bar span:last-child{text-align:right;color:var(--soft)}
pre{margin:0;max-height:520px;overflow:auto;font:12px/1.55 ui-monospace,SFMono-Regular,Menlo,monospace}
pre div{display:grid;grid-template-columns:70px 60px 1fr;padding:0 6px;border-radius:3px}
pre span{color:var(--soft);text-align:right;padding-right:12px}
dl{display:grid;grid-template-columns:auto 1fr;gap:2px 14px;margin:0}dt{color:var(--soft)}dd{margin:0}
.name{font:13px ui-monospace,monospace;word-break:break-all;color:var(--soft);margin:0 0 14px}
svg{width:100%;height:auto;display:block}svg text{fill:var(--soft);font:11px system-ui,sans-serif}
svg .roof{stroke:var(--ink);fill:none;stroke-width:1.6}svg .grid{stroke:var(--line)}
button{background:none;border:1px solid var(--line);border-radius:8px;color:var(--ink);padding:5px 12px;
cursor:pointer;float:right}footer{color:var(--soft);font-size:12px}
</style></head><body><main>
<header><h1>Modelled time on <span id="card"></span></h1>
<p>A model, not a measurement: cycle-approximate, from recorded traces. Intervals span what is not known of the hardware.</p></header>
<div class="tiles" id="tiles"></div>
<section><h2>Roofline</h2><div id="roofline"></div></section>
<section><h2>Kernels</h2><div style="overflow-x:auto"><table><thead><tr><th>kernel</th><th>launches</th>
<th>time, &micro;s</th><th>low &ndash; high</th><th>share</th><th>TFLOPS</th><th>WMMA</th><th>DRAM</th><th>bound by</th></tr></thead>
<tbody id="rows"></tbody></table></div></section>
<section id="detail"></section>
<section><button id="save">Save as Chrome trace</button><h2>Streams</h2><div id="timeline"></div></section>
<footer>Written by r9v-emulator. The figures behind this page are in its last script element, as JSON.</footer>
</main><script id="data" type="application/json">)html";

constexpr const char* script_draw = R"html(</script><script>
const R=JSON.parse(document.getElementById('data').textContent),K=R.kernels,C=R.card;
const el=id=>document.getElementById(id),esc=s=>String(s).replace(/[&<>"]/g,c=>({'&':'&amp;','<':'&lt;','>':'&gt;','"':'&quot;'}[c]));
const n=(x,d=1)=>x>=100?x.toFixed(0):x>=10?x.toFixed(Math.min(d,1)):x.toFixed(Math.max(d,2));
const bytes=x=>{const u=['B','kB','MB','GB','TB'];let i=0;while(x>=1000&&i<4){x/=1000;i++}return n(x)+' '+u[i]};
const total=K.reduce((s,k)=>s+k.total_microseconds.mid,0)||1;
const short=s=>{const t=s.replace(/<.*$/,'').replace(/\(.*$/,'').split(' ').pop().split('::').pop();return t.length>34?t.slice(0,33)+'\u2026':t};
el('card').textContent=C.name;
const span=R.traceEvents.reduce((m,e)=>Math.max(m,e.ts+e.dur),0);
el('tiles').innerHTML=[[n(total)+' \u00b5s','in kernels'],[n(span)+' \u00b5s','from first to last work'],
[K.reduce((s,k)=>s+k.launches,0),'launches'],[K.length,'kernels and shapes'],
[C.compute_units+' CUs','at '+C.ghz+' GHz'],[C.dram_gbs+' GB/s','DRAM, '+Math.round(100*C.dram_share)+' % achievable']]
.map(t=>`<div class="tile"><b>${esc(t[0])}</b><span>${esc(t[1])}</span></div>`).join('');
const colour=b=>/WMMA|vector|trans/.test(b)?'var(--a)':/DRAM|Infinity|L2|L0/.test(b)?'var(--b)':/LDS/.test(b)?'var(--d)':/dispatch/.test(b)?'var(--e)':'var(--c)';

function roofline(){
 const W=1100,H=430,l=64,r=20,t=16,b=44,x0=-2,x1=4.2,top=Math.log10(C.tflops_8bit)+.25,bot=top-5;
 const X=v=>l+(v-x0)/(x1-x0)*(W-l-r),Y=v=>H-b-(v-bot)/(top-bot)*(H-t-b);
 let s=`<svg viewBox="0 0 ${W} ${H}" role="img" aria-label="roofline">`;
 for(let i=Math.ceil(x0);i<=x1;i++)s+=`<line class="grid" x1="${X(i)}" x2="${X(i)}" y1="${t}" y2="${H-b}"/><text x="${X(i)}" y="${H-b+16}" text-anchor="middle">${i<0?'1/'+10**-i:10**i}</text>`;
 for(let i=Math.ceil(bot);i<=top;i++)s+=`<line class="grid" x1="${l}" x2="${W-r}" y1="${Y(i)}" y2="${Y(i)}"/><text x="${l-8}" y="${Y(i)+4}" text-anchor="end">${i<0?'1/'+10**-i:10**i}</text>`;
 s+=`<text x="${(l+W-r)/2}" y="${H-8}" text-anchor="middle">operations a byte of DRAM traffic</text><text transform="translate(14 ${(t+H-b)/2}) rotate(-90)" text-anchor="middle">TFLOPS</text>`;
 const free=(x,y)=>put.every(p=>Math.abs(p[0]-x)>150||Math.abs(p[1]-y)>13)&&put.push([x,y]);
 const slope=v=>v+Math.log10(C.dram_gbs*C.dram_share/1000);
 [[C.tflops_8bit,'8-bit WMMA'],[C.tflops_f16,'f16 WMMA'],[C.tflops_f32,'f32 vector']].forEach(p=>{
  const y=Math.log10(p[0]),k=Math.min(x1,y-Math.log10(C.dram_gbs*C.dram_share/1000));
  s+=`<line class="roof" x1="${X(k)}" y1="${Y(y)}" x2="${W-r}" y2="${Y(y)}"/><text x="${W-r-4}" y="${Y(y)-5}" text-anchor="end">${p[1]}, ${p[0]}</text>`});
 const k=Math.log10(C.tflops_8bit)-Math.log10(C.dram_gbs*C.dram_share/1000),f=Math.max(x0,bot-Math.log10(C.dram_gbs*C.dram_share/1000));
 s+=`<line class="roof" x1="${X(f)}" y1="${Y(slope(f))}" x2="${X(k)}" y2="${Y(slope(k))}"/><text x="${X(f)+60}" y="${Y(slope(f))-40}">DRAM, ${Math.round(C.dram_gbs*C.dram_share)} GB/s</text>`;
 const put=[];K.forEach((q,i)=>{if(!(q.tflops>0))return;
  const x=X(Math.min(x1,Math.max(x0,Math.log10(q.operations_a_byte||1e-9)))),Yc=v=>Y(Math.max(bot,Math.log10(v))),m=q.microseconds;
  const up=Yc(q.tflops*m.mid/Math.max(m.low,1e-9)),down=Yc(q.tflops*m.mid/Math.max(m.high,1e-9)),R0=5+12*Math.sqrt(q.total_microseconds.mid/total);
  s+=`<g style="cursor:pointer" onclick="show(${i})"><line x1="${x}" x2="${x}" y1="${up}" y2="${down}" style="stroke:${colour(q.bound)};stroke-width:2;opacity:.6"/><circle cx="${x}" cy="${Yc(q.tflops)}" r="${R0}" style="fill:${colour(q.bound)};opacity:.75"><title>${esc(q.name)}\n${n(q.tflops)} TFLOPS, ${esc(q.bound)}</title></circle>${free(x,Yc(q.tflops))?`<text x="${x+R0+4}" y="${Yc(q.tflops)+4}" style="fill:var(--ink)">${esc(short(q.name))}</text>`:''}</g>`});
 el('roofline').innerHTML=s+'</svg>'}

function rows(){el('rows').innerHTML=K.map((k,i)=>`<tr id="r${i}" onclick="show(${i})"><td title="${esc(k.name)}">${esc(short(k.name))} <span style="color:var(--soft)">(${k.grid.join(', ')}) \u00d7 ${k.block.join('\u00b7')}</span></td><td>${k.launches}</td><td>${n(k.microseconds.mid)}</td><td>${n(k.microseconds.low)} \u2013 ${n(k.microseconds.high)}</td><td>${(100*k.total_microseconds.mid/total).toFixed(1)} %</td><td>${n(k.tflops)}</td><td>${Math.round(100*k.busy.wmma)} %</td><td>${Math.round(100*k.busy.dram)} %</td><td style="color:${colour(k.bound)}">${esc(k.bound)}</td></tr>`).join('')}
)html";

constexpr const char* script_detail = R"html(
const bars=(o,sum)=>Object.entries(o).map(([k,v])=>[k,sum?v/sum:v]).filter(e=>!sum||e[1]>.005).map(([k,v])=>`<div class="bar"><span>${esc(k.replace('_',' '))}</span><i><u style="width:${Math.min(100,100*v)}%"></u></i><span>${Math.round(100*v)} %</span></div>`).join('');
function show(i){const k=K[i];if(!k)return;document.querySelectorAll('tr.on').forEach(r=>r.classList.remove('on'));el('r'+i).classList.add('on');
 const c=k.counts,st=Object.values(k.stalled_cycles).reduce((a,b)=>a+b,0)||1,vec=c.wmma_cycles+c.valu_cycles+4*c.transcendental||1;
 const mix={WMMA:c.wmma,VALU:c.valu,transcendental:c.transcendental,SALU:c.salu,SMEM:c.smem,branches:c.branches,'global memory':c.global_loads+c.global_stores+c.global_atomics,LDS:c.lds_loads+c.lds_stores,scratch:c.scratch,waits:c.waits,barriers:c.barriers},ms=Object.values(mix).reduce((a,b)=>a+b,0)||1;
 const top=Math.max(...k.main_loop.map(a=>a.share),1e-9);
 el('detail').innerHTML=`<h2>${esc(short(k.name))}</h2><p class="name">${esc(k.name)}</p><div class="columns"><div><dl>
 <dt>time</dt><dd><b>${n(k.microseconds.mid)} \u00b5s</b> (${n(k.microseconds.low)} to ${n(k.microseconds.high)}) at ${k.ghz.toFixed(2)} GHz</dd>
 <dt>bound by</dt><dd style="color:${colour(k.bound)}">${esc(k.bound)}</dd>
 <dt>replayed</dt><dd>${k.sampled<1?(100*k.sampled).toFixed(1)+' % of its instructions; sampling error '+(100*k.sampling_error).toFixed(1)+' %':'all of it'}</dd>
 <dt>waves</dt><dd>${c.waves}; ${k.waves_a_simd} of ${C.slots} on a SIMD</dd>
 <dt>registers</dt><dd>${k.vgprs} VGPRs, ${k.sgprs} SGPRs, ${k.lds_bytes} B LDS, ${k.scratch_bytes} B scratch</dd>
 <dt>WMMA share</dt><dd>${(100*c.wmma_cycles/vec).toFixed(1)} % of vector cycles</dd>
 <dt>LDS conflicts</dt><dd>${c.lds_passes?(100*(c.lds_passes-c.lds_passes_ideal)/c.lds_passes).toFixed(1):'0'} % of ${c.lds_passes} passes</dd>
 <dt>global</dt><dd>${bytes(c.bytes_loaded)} in ${c.lines_loaded} lines loaded, ${bytes(c.bytes_stored)} in ${c.lines_stored} stored</dd>
 <dt>L0 / L2</dt><dd>${bytes(k.bytes.l0)} / ${bytes(k.bytes.l2)}</dd><dt>Infinity Cache / DRAM</dt><dd>${bytes(k.bytes.infinity_cache)} / ${bytes(k.bytes.dram)}</dd></dl></div>
 <div><b>Busy</b>${bars(k.busy)}</div></div><div class="columns" style="margin-top:16px"><div><b>What waves wait for</b>${bars(k.stalled_cycles,st)}</div><div><b>Instructions</b>${bars(mix,ms)}</div></div>
 ${k.main_loop.length?`<h2 style="margin-top:18px">Main loop: cycles of a wave each time, share of all</h2><pre>${k.main_loop.map(a=>`<div style="background:color-mix(in srgb,var(--a) ${Math.round(45*a.share/top)}%,transparent)"><span>${a.cycles.toFixed(1)}</span><span>${(100*a.share).toFixed(1)} %</span>${esc(a.text)}</div>`).join('')}</pre>`:''}`}

function timeline(){const E=R.traceEvents;if(!E.length){el('timeline').textContent='No work was recorded.';return}
 const ids=[...new Set(E.map(e=>e.tid))].sort((a,b)=>a-b),W=1100,h=26,l=80,end=span||1,H=ids.length*(h+8)+30,X=v=>l+v/end*(W-l-10);
 let s=`<svg viewBox="0 0 ${W} ${H}">`;for(let i=0;i<=5;i++)s+=`<line class="grid" x1="${X(end*i/5)}" x2="${X(end*i/5)}" y1="0" y2="${H-20}"/><text x="${X(end*i/5)}" y="${H-6}" text-anchor="${i==5?'end':'middle'}">${n(end*i/5)} \u00b5s</text>`;
 ids.forEach((id,j)=>s+=`<text x="0" y="${j*(h+8)+18}">stream ${id}</text>`);
 const names=[...new Set(E.map(e=>e.name))],tone=['var(--a)','var(--b)','var(--c)','var(--d)','var(--e)'];
 E.slice(0,4000).forEach(e=>{const y=ids.indexOf(e.tid)*(h+8);s+=`<rect x="${X(e.ts)}" y="${y}" width="${Math.max(.7,X(e.ts+e.dur)-X(e.ts))}" height="${h}" rx="2" style="fill:${e.cat=='copy'?'var(--soft)':tone[names.indexOf(e.name)%5]};opacity:.85"><title>${esc(e.name)}\n${n(e.dur)} \u00b5s from ${n(e.ts)}\n${esc(e.args.detail)}</title></rect>`});
 el('timeline').innerHTML=s+'</svg>'}
el('save').onclick=()=>{const a=document.createElement('a');a.href=URL.createObjectURL(new Blob([JSON.stringify(R)],{type:'application/json'}));a.download='r9v-emulator-trace.json';a.click()};
roofline();rows();if(K.length)show(0);else el('detail').textContent='No kernel ran.';timeline();
</script></body></html>
)html";

} // namespace

std::string as_html(const timing_report& r) {
    return head + as_json(r) + script_draw + script_detail;
}

} // namespace r9v_emulator::report
