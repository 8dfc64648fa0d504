/** A conversation in words (its facts and its turns), and the transcript and the page that are written from them. */
import { createHash } from 'node:crypto'
import { safe } from '../safe-text.ts'
import { joinPresent, paint, pluralize, type Style } from '../words.ts'
import type { Conversation, ConversationMessage, PrintOptions } from './result.ts'
import { dateToMinute, isoTime, wrap } from './text.ts'

/** A message in words. Its texts are as the service sent them, so they must be made safe. */
interface Turn {
  /** The day, if it is another one than that of the turn before: `Sunday 2026-03-01`. */
  newDay: string | undefined
  time: string
  sender: string
  isIncoming: boolean
  parts: readonly { kind: 'subject' | 'text' | 'file' | 'none'; text: string }[]
}

/** Yields the turns of a conversation. */
function* turnsOf({ messages, names }: Conversation): Generator<Turn> {
  let lastDay = ''
  for (const message of messages) {
    const { direction, fromId } = message
    const { day, time } = momentOf(message)
    // The API's description does not say who sent a message. Here, incoming messages are the customer's.
    const isIncoming = direction === 'incoming'
    const sender = joinPresent([direction, nameOf(fromId, names)], ' · ')
    yield {
      newDay: day === lastDay ? undefined : day,
      time,
      sender: isIncoming ? 'customer' : sender || 'unknown sender',
      isIncoming,
      parts: partsOf(message),
    }
    lastDay = day
  }
}

const weekdays = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

/** Returns the day and the time of a message. A time that cannot be read is shown as the service sent it. */
function momentOf({ sentAt }: ConversationMessage) {
  const moment = isoTime(sentAt ?? '')
  if (moment === undefined) return { day: 'without a time', time: sentAt ?? '' }
  const [date, time = ''] = dateToMinute(moment).split(' ')
  return { day: `${weekdays[new Date(moment).getDay()]} ${date}`, time }
}

function partsOf({ subject, text, attachments }: ConversationMessage): Turn['parts'] {
  const files = (attachments ?? []).map(({ kind, fileName, mimeType, id }) =>
    joinPresent([kind ?? 'file', fileName || id, mimeType], ' '),
  )
  const parts = [
    { kind: 'subject', text: subject ?? '' } as const,
    { kind: 'text', text: text ?? '' } as const,
    ...files.map((file) => ({ kind: 'file', text: file }) as const),
  ].filter((part) => part.text !== '')
  return parts.length > 0 ? parts : [{ kind: 'none', text: 'no text' }]
}

/** Returns the name of an employee, or the id if the name is not known. */
function nameOf(id: string | null | undefined, names: Conversation['names']) {
  return names.get(id?.toLowerCase() ?? '') ?? id
}

/** Returns the known facts about a ticket, each as its label and its text. */
function factsOf({ ticket, names }: Conversation) {
  const { status, assigneeId, startedAt } = ticket
  const time = isoTime(startedAt ?? '')
  const facts = {
    status,
    assignee: nameOf(assigneeId, names),
    started: time === undefined ? startedAt : dateToMinute(time),
    // The time zone, such as `Europe/Berlin`: a reader may live in another one.
    times: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  }
  return Object.entries(facts).filter((fact): fact is [string, string] => !!fact[1])
}

/** The width without a terminal. It fits on a page of paper. */
const usualWidth = 100
const minWidth = 20
/** Longer lines are hard to read, even on a wide terminal. */
const maxWidth = 120
/** Indents the text of a message, which could otherwise look like the beginning of another message. */
const indent = ' '.repeat(7)

/** Returns a conversation as text that is safe to show (`-o transcript`): days, times, senders and wrapped lines. */
export function transcript(conversation: Conversation, print: PrintOptions) {
  const width = Math.min(maxWidth, Math.max(minWidth, print.width ?? usualWidth))
  const lines: string[] = []
  // With `hasLines`, line breaks begin new lines. Elsewhere, as in the name of a file, they become visible.
  const add = (
    text: string,
    {
      style,
      margin = '',
      hasLines = false,
    }: { style?: Style; margin?: string; hasLines?: boolean } = {},
  ) => {
    const shown = safe(text, hasLines ? 'lines' : undefined).replaceAll('\t', '    ')
    for (const line of shown.split(/\r?\n/))
      for (const part of wrap(line, width - margin.length)) {
        const isStyled = style !== undefined && part !== '' && print.color === true
        lines.push(margin + (isStyled ? paint(part, style) : part))
      }
  }
  const facts = factsOf(conversation).map((fact) => fact.join(' '))
  add(`ticket ${conversation.ticket.id}`, { style: 'bold' })
  add(facts.join(' · '), { style: 'dim' })
  for (const { newDay, time, sender, isIncoming, parts } of turnsOf(conversation)) {
    add('')
    if (newDay !== undefined) {
      add(`── ${newDay} ──`, { style: 'bold' })
      add('')
    }
    add(joinPresent([time, sender], '  '), { style: isIncoming ? 'cyan' : 'bold' })
    for (const { kind, text } of parts) {
      const own = { margin: indent, hasLines: kind === 'subject' || kind === 'text' }
      if (kind === 'subject') add(`Subject: ${text}`, { ...own, style: 'bold' })
      else if (kind === 'text') add(text, own)
      else add(kind === 'file' ? `[${text}]` : `(${text})`, { ...own, style: 'dim' })
    }
  }
  if (conversation.messages.length === 0) {
    add('')
    add('(no messages)', { style: 'dim' })
  }
  return lines.map((line) => `${line}\n`).join('')
}

/**
 * Returns a conversation as a page of HTML (`-o html`), which runs no script and loads nothing. It says when it was saved, because
 * others may read it later.
 */
export function page(conversation: Conversation, { now }: PrintOptions) {
  const { ticket, messages, omission } = conversation
  const title = escapeHtml(`Ticket ${ticket.id}`)
  const facts = factsOf(conversation)
  if (now !== undefined) facts.push(['saved', dateToMinute(now)])
  const elements = facts.map(
    ([label, text]) =>
      `<div><dt>${escapeHtml(label)}</dt><dd dir="auto">${escapeHtml(text)}</dd></div>`,
  )
  const count =
    messages.length === 0 ? 'no messages' : pluralize(messages.length, 'message')
  // A page has no notes, so its foot says what is missing.
  const footer = joinPresent([count, omission], '; ')
  const hash = createHash('sha256').update(css).digest('base64')
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="format-detection" content="telephone=no, email=no, address=no, date=no">
<title>${title}</title>
<style>${css}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<dl>${elements.join('')}</dl>
</header>
<main>
${Array.from(turnsOf(conversation), article).join('')}<footer>${escapeHtml(footer)}</footer>
</main>
</body>
</html>
`
}

/** Returns a turn as an article, which is on the left if it is incoming. */
function article({ newDay, time, sender, isIncoming, parts }: Turn) {
  const day = newDay === undefined ? '' : `<h2>${escapeHtml(newDay)}</h2>\n`
  // `lang=""` tells screen readers that the language is unknown.
  const elements = parts.map(({ kind, text }) => {
    const tag = kind === 'subject' ? 'h3' : 'p'
    const shown = escapeHtml(text, kind === 'text' ? 'lines' : undefined)
    return `<${tag} class="${kind}" lang="" dir="auto">${shown}</${tag}>`
  })
  return `${day}<article class="${isIncoming ? 'in' : 'out'}">
<p class="by"><span dir="auto">${escapeHtml(sender)}</span><time>${escapeHtml(time)}</time></p>
${elements.join('\n')}
</article>
`
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Makes a text safe to show, and to stand in an element. With `lines`, its line breaks stay. */
function escapeHtml(text: string, lines?: 'lines') {
  // Direction marks stay: each text has its own element, which contains their effect.
  const parts = text.split(/([\u061c\u200e\u200f\u2066-\u2069])/)
  const shown = parts.map((part, index) => (index % 2 === 1 ? part : safe(part, lines)))
  return shown.join('').replace(/[&<>"']/g, (char) => entities[char] ?? '')
}

/** The styles of a page. */
const css = `
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
