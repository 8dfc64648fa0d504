/** A recorded run as one page: what was asked, what became of it, what is not done and what to do now. */
import { grouped } from '../../words.ts'
import { exactTime } from '../text/time.ts'
import { escapeHtml, pageHead } from './page.ts'

export interface RunPage {
  /** What was asked: `Delete 1,234 contacts`. */
  readonly title: string
  readonly state: string
  readonly isDone: boolean
  readonly facts: readonly (readonly [name: string, value: string | Date])[]
  /** Of a run that was recorded: a plan has none. */
  readonly outcomes?: readonly PageOutcome[]
  /** All of them, those that are not done first; the first cell is the id. */
  readonly ids: { readonly headings: readonly string[]; readonly rows: () => Iterable<readonly string[]> }
  readonly next: readonly { readonly why: string; readonly command: string }[]
}

export interface PageOutcome {
  readonly name: string
  readonly meaning: string
  readonly count: number
  readonly isAccepted: boolean
}

const style = `
:root{color-scheme:light;--page:#f4f5f7;--card:#fff;--ink:#1b1f24;--soft:#56606a;--line:#d5dae0;--good:#1a7f4b;--bad:#b3401e}
@media screen and (prefers-color-scheme:dark){:root{color-scheme:dark;--page:#14171a;--card:#1d2125;--ink:#e8ebee;--soft:#a3adb7;--line:#343b43;--good:#4cc38a;--bad:#f08a68}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.45 system-ui,sans-serif;overflow-wrap:anywhere}
header,main{max-width:60rem;margin:0 auto;padding:0 1rem}
header{padding-top:1.5rem}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 .5rem;overflow-wrap:anywhere}
h2{font-size:1.1rem;margin:0 0 .75rem;break-after:avoid}
section{margin:1rem 0;padding:1rem;background:var(--card);border:1px solid var(--line);border-radius:.5rem}
p{margin:0 0 .75rem;overflow-wrap:anywhere}
section>:last-child{margin-bottom:0}
.state{padding-inline-start:.75rem;border-inline-start:.3rem solid var(--bad);font-size:1.1rem}
.state.done{border-color:var(--good)}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,15rem),1fr));gap:.5rem 1.5rem;margin:0}
dt,.soft{color:var(--soft);font-size:.875rem}
dd{margin:0;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%}
th,td{padding:.35rem .75rem .35rem 0;text-align:start;vertical-align:top;overflow-wrap:anywhere}
thead th{color:var(--soft);font-size:.875rem;font-weight:600}
tbody tr{border-top:1px solid var(--line);break-inside:avoid}
.number{text-align:end;font-variant-numeric:tabular-nums;white-space:nowrap}
.outcomes{margin:0;padding:0;list-style:none}
.outcomes li{margin:0 0 .75rem;break-inside:avoid}
.outcomes .head{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 1rem;margin:0}
svg{display:block;width:100%;print-color-adjust:exact;-webkit-print-color-adjust:exact}
.bar{height:.75rem;margin:.15rem 0;background:var(--line);border-radius:.2rem}
.good{fill:var(--good)}.bad{fill:var(--bad)}
li p{margin:0}
td.id{min-width:14rem}
code,.id{font:.875rem/1.5 ui-monospace,monospace}
pre{margin:.25rem 0 .75rem;padding:.5rem .75rem;white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid var(--line);border-radius:.25rem}
footer{padding:.5rem 0 2rem;color:var(--soft);font-size:.875rem}
@media (max-width:40rem){thead{display:none}tbody tr,tbody td{display:block}tbody tr{padding:.5rem 0}tbody td{padding:0}tbody .number,tbody .number+td{display:inline-block;margin-inline-end:.75rem;text-align:start}tbody .number:not(:empty)::before{content:"line "}}
@media print{:root{--page:#fff}body{font-size:10.5pt}header,main{max-width:none;padding:0}section{padding:.5rem 0;border-width:1px 0 0;border-radius:0}}
`

/** The whole page, in pieces. `utc`: of its times. */
export function* runPage(page: RunPage, utc: boolean): Generator<string> {
  const { title, state, isDone, facts, outcomes, ids } = page
  const shown = facts.map(
    ([name, value]) =>
      `<div><dt>${escapeHtml(name)}</dt><dd dir="auto">${escapeHtml(typeof value === 'string' ? value : timeWords(value.getTime(), utc))}</dd></div>`,
  )
  yield `${pageHead(title, style)}<header>
<h1 dir="auto">${escapeHtml(title)}</h1>
<p class="state${isDone ? ' done' : ''}">${escapeHtml(state)}</p>
</header>
<main>
${section('What was asked', `<dl>${shown.join('')}</dl>`)}
${outcomes === undefined ? '' : section('What became of it', outcomesHtml(outcomes))}
${section('What can be done now', nextHtml(page.next))}
<section>
<h2>Every id</h2>
<table>
<thead><tr>${ids.headings.map((heading) => `<th scope="col"${numberClass(heading)}>${heading}</th>`).join('')}</tr></thead>
<tbody>
`
  for (const cells of ids.rows()) yield idRow(ids.headings, cells)
  yield `</tbody>
</table>
</section>
<footer>Made by svc from ${outcomes === undefined ? 'the plan file' : 'the record of the run'}${utc ? '; times are UTC' : ''}.</footer>
</main>
</body>
</html>
`
}

function section(heading: string, body: string): string {
  return `<section>\n<h2>${heading}</h2>\n${body}\n</section>`
}

/** `2026-03-01 10:15:00 +01:00`. */
const timeWords = (time: number, utc: boolean): string =>
  exactTime(time, utc)
    .replace('T', ' ')
    .replace(/(Z|[+-]\d\d:\d\d)$/, ' $1')
    .replace('Z', 'UTC')

function outcomesHtml(outcomes: readonly PageOutcome[]): string {
  const total = outcomes.reduce((sum, { count }) => sum + count, 0)
  if (total === 0) return '<p>There was nothing to do.</p>'
  const items = outcomes.map(({ name, meaning, count, isAccepted }) => {
    const percent = (100 * count) / total
    const share = percent > 0 && percent < 1 ? 'under 1' : String(Math.floor(percent))
    return `<li><p class="head"><strong>${escapeHtml(name)}</strong><span>${grouped(count)} (${share} %)</span></p>
<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect class="${isAccepted ? 'good' : 'bad'}" width="${round(Math.max(percent, 0.5))}" height="1"/></svg>
<p class="soft">${escapeHtml(meaning)}</p></li>`
  })
  return `<ul class="outcomes">\n${items.join('\n')}\n</ul>`
}

function round(value: number): string {
  return String(Math.round(value * 100) / 100)
}

const numberClass = (heading: string): string => (heading === 'Line' ? ' class="number"' : '')

function idRow(headings: readonly string[], [id = '', ...cells]: readonly string[]): string {
  const others = cells.map((cell, at) => {
    const kind = numberClass(headings[at + 1] ?? '')
    return `<td${kind === '' ? ' dir="auto"' : kind}>${escapeHtml(cell)}</td>`
  })
  return `<tr><td class="id">${escapeHtml(id)}</td>${others.join('')}</tr>\n`
}

function nextHtml(next: RunPage['next']): string {
  if (next.length === 0) return '<p>Nothing: there is nothing left to do.</p>'
  const items = next.map(
    ({ why, command }) => `<p>${escapeHtml(why)}:</p>\n<pre><code>${escapeHtml(command)}</code></pre>`,
  )
  return items.join('\n')
}
