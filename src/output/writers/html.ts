/**
 * Writes a conversation as a page of HTML (`-o html`). Its texts come from strangers and a browser opens it, so everything is
 * escaped, nothing is fetched, and the content policy allows only the style of the page.
 */
import { ticketFacts, turnsOf, type Turn } from '../conversation.ts'
import type { Conversation, PrintOptions } from '../result.ts'
import { dateToMinute } from '../text.ts'
import { pluralize } from '../../words.ts'
import { createHash } from 'node:crypto'
import { safe } from '../../safe-text.ts'

const style = `
:root{color-scheme:light;--page:#f4f5f7;--ink:#1b1f24;--soft:#56606a;--in:#fff;--out:#d9ebff;--line:#dfe3e8;--edge:#c3d9f2}
@media screen and (prefers-color-scheme:dark){:root{color-scheme:dark;--page:#14171a;--ink:#e8ebee;--soft:#a3adb7;--in:#22272c;--out:#17395c;--line:#2e353c;--edge:#23507c}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.45 system-ui,sans-serif;overflow-wrap:anywhere}
main,header{max-width:46rem;margin:0 auto;padding:0 1rem}
header{padding-top:1.5rem}
h1{font-size:1.1rem;margin:0 0 .5rem}
dl{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin:0;color:var(--soft);font-size:.875rem}
dl div{display:flex;gap:.35rem;min-width:0}
dd{margin:0;color:var(--ink);min-width:0}
h2{position:sticky;top:.5rem;width:fit-content;margin:1.5rem auto .5rem;padding:.15rem .75rem;border-radius:1rem;background:var(--page);font-size:.8rem;font-weight:600;color:var(--soft)}
article{max-width:85%;width:fit-content;margin:.5rem 0;padding:.5rem .75rem .6rem;border:1px solid var(--line);border-radius:.75rem;background:var(--in)}
article.out{margin-left:auto;background:var(--out);border-color:var(--edge)}
.by{display:flex;gap:.75rem;justify-content:space-between;margin:0 0 .25rem;font-size:.75rem;color:var(--soft)}
.by span,.text,.file,h3{min-width:0}
time{flex:none;max-width:60%;font-variant-numeric:tabular-nums}
h3{font-size:1rem;margin:.1rem 0 .25rem}
.text{margin:0;white-space:pre-wrap}
.file+.text,.text+.text{margin-top:.5rem}
.file{margin:.35rem 0 0;padding-block:.15rem;padding-inline-start:.6rem;border-inline-start:2px solid var(--soft);font-size:.875rem;color:var(--soft)}
.none,footer{color:var(--soft);font-style:italic}
.none{margin:0}
footer{text-align:center;padding:1.5rem 0 2rem;font-size:.875rem}
@media print{body{background:none;font-size:11pt}main,header{max-width:none;padding:0}h2{position:static;background:none;break-after:avoid}article,article.out{break-inside:avoid;border-color:#999}}
`

/** Returns the page of a conversation. */
export function page(conversation: Conversation, { now }: PrintOptions): string {
  const { ticket, messages, leftOut } = conversation
  const title = `Ticket ${ticket.id}`
  // Others may read the page later, so it says when it was saved.
  const facts = [...ticketFacts(conversation), ['saved', dateToMinute(now)] as const]
  const details = facts.map(([name, value]) => {
    const term = `<dt>${escapeHtml(name)}</dt>`
    const description = `<dd dir="auto">${escapeHtml(value)}</dd>`
    return `<div>${term}${description}</div>`
  })
  const articles = turnsOf(conversation).map(turnHtml)
  const count =
    messages.length === 0 ? 'no messages' : pluralize(messages.length, 'message')
  const words = leftOut === undefined ? count : `${count}; ${leftOut}`
  return `${pageHead(title)}<header>
<h1>${escapeHtml(title)}</h1>
<dl>${details.join('')}</dl>
</header>
<main>
${articles.join('')}<footer>${escapeHtml(words)}</footer>
</main>
</body>
</html>
`
}

/** Returns a turn as an article, on the left for the customer and on the right for employees. */
function turnHtml({ day, isNewDay, parts, sender, time, isIncoming }: Turn) {
  const heading = `<h2>${escapeHtml(day)}</h2>\n`
  const name = `<span dir="auto">${escapeHtml(sender)}</span>`
  const clock = `<time>${escapeHtml(time)}</time>`
  const by = `<p class="by">${name}${clock}</p>`
  // `lang=""` tells screen readers that the language is unknown.
  const elements = parts.map(({ kind, text }) => {
    const escaped = escapeHtml(text, kind === 'text' ? 'keep' : 'visible')
    if (kind === 'subject') return `<h3 lang="" dir="auto">${escaped}</h3>`
    return `<p class="${kind}" lang="" dir="auto">${escaped}</p>`
  })
  const body = parts.length === 0 ? '<p class="none">no text</p>' : elements.join('\n')
  const side = isIncoming ? 'in' : 'out'
  const article = `<article class="${side}">\n${by}\n${body}\n</article>\n`
  return isNewDay ? heading + article : article
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string, newlines: 'keep' | 'visible' = 'visible') {
  return safe(text, { newlines }).replace(/[&<>"']/g, (char) => entities[char] ?? '')
}

/** Returns the page up to the beginning of its body. The page runs no script and loads nothing. `title` is plain text. */
function pageHead(title: string) {
  const hash = createHash('sha256').update(style).digest('base64')
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="format-detection" content="telephone=no, email=no, address=no, date=no">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
`
}
