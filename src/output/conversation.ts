/**
 * Writes a conversation as a transcript or as a page of HTML. Each message becomes a turn first: its day, time and sender in
 * words. Texts of turns are not safe yet. The transcript and the page escape what they write.
 */
import { createHash } from 'node:crypto'
import { safe } from '../safe-text.ts'
import { pluralize } from '../words.ts'
import type {
  Conversation,
  ConversationAttachment,
  ConversationMessage,
  PrintOptions,
} from './result.ts'
import { dateToMinute, parseTime, paint, wrap, type Style } from './text.ts'

/** A message in words. */
export interface Turn {
  /** `Sunday 2026-03-01` or `without a time`. */
  day: string
  /** Whether it is the first turn of its day. */
  isNewDay: boolean
  time: string
  isIncoming: boolean
  sender: string
  parts: readonly TurnPart[]
}

/** A part of a message. The text of a file is its name with the facts that are known. */
interface TurnPart {
  kind: 'subject' | 'text' | 'file'
  text: string
}

/** Returns a turn for each message, in the same order. */
export function turnsOf({ messages, names }: Conversation): Turn[] {
  let lastDay = ''
  return messages.map((message) => {
    const { day, time } = dayAndTime(message.sentAt ?? '')
    const isNewDay = day !== lastDay
    lastDay = day
    return {
      day,
      isNewDay,
      time,
      isIncoming: message.direction === 'incoming',
      sender: senderOf(message, names),
      parts: partsOf(message),
    }
  })
}

const weekdays = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

/** Returns the day and the time in words: `Sunday 2026-03-01` and `10:15`. */
function dayAndTime(sentAt: string) {
  const moment = parseTime(sentAt)
  // A time that cannot be read is shown as the service sent it.
  if (moment === undefined) return { day: 'without a time', time: sentAt }
  const weekday = weekdays[new Date(moment).getDay()]
  const date = dateToMinute(moment)
  return { day: `${weekday} ${date.slice(0, 10)}`, time: date.slice(11) }
}

function partsOf({ subject, text, attachments }: ConversationMessage): TurnPart[] {
  const parts: TurnPart[] = [
    { kind: 'subject', text: subject ?? '' },
    { kind: 'text', text: text ?? '' },
  ]
  for (const attachment of attachments ?? [])
    parts.push({ kind: 'file', text: attachmentText(attachment) })
  return parts.filter((part) => part.text !== '')
}

/**
 * Returns who sent a message, in words. The API's description does not say who that is. Here, incoming messages are the
 * customer's, and any other message shows its direction and the employee.
 */
function senderOf(
  { direction, fromId }: ConversationMessage,
  names: ReadonlyMap<string, string>,
) {
  if (direction === 'incoming') return 'customer'
  return joined([direction, nameOf(fromId, names)], ' · ') || 'unknown sender'
}

/** Returns the name of an employee, or the id if the name is not known. */
function nameOf(id: string | null | undefined, names: ReadonlyMap<string, string>) {
  return names.get(id?.toLowerCase() ?? '') ?? id
}

/** Joins the texts that are known. */
function joined(texts: readonly (string | null | undefined)[], between: string) {
  const known = texts.filter((text) => text != null && text !== '')
  return known.join(between)
}

/** Returns the known facts about a file, such as `image photo.jpg image/jpeg`. */
function attachmentText({ kind, fileName, mimeType, id }: ConversationAttachment) {
  return joined([kind ?? 'file', fileName || id, mimeType], ' ')
}

/** Returns the known facts about a ticket as pairs of label and text. */
function ticketFacts({ ticket, names }: Conversation): [string, string][] {
  const { status, assigneeId, startedAt } = ticket
  const time = parseTime(startedAt ?? '')
  const facts = {
    status,
    assignee: nameOf(assigneeId, names),
    started: time === undefined ? startedAt : dateToMinute(time),
    // The time zone, such as `Europe/Berlin`: a reader of the page may live in another one.
    times: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  }
  const known: [string, string][] = []
  for (const [label, text] of Object.entries(facts))
    if (text != null && text !== '') known.push([label, text])
  return known
}

/** The width without a terminal. It fits on a page of paper. */
const usualWidth = 100
const minWidth = 20
/** Longer lines are hard to read, even on a wide terminal. */
const maxWidth = 120
/** Indents the text of a message, which could otherwise look like the beginning of another message. */
const indent = ' '.repeat(7)

/** Adds the lines of a safe text. */
type AddText = (text: string, style?: Style, margin?: string) => void

/** Returns a conversation as text that is safe to show (`-o transcript`): days, times, senders and wrapped lines. */
export function transcript(conversation: Conversation, print: PrintOptions): string {
  const width = Math.min(maxWidth, Math.max(minWidth, print.width ?? usualWidth))
  const lines: string[] = []
  const add: AddText = (text, style, margin = '') => {
    for (const line of wrapAll(text, width - margin.length))
      lines.push(margin + paint(line, print.color ? style : undefined))
  }
  add(safe(`ticket ${conversation.ticket.id}`), 'bold')
  const facts = ticketFacts(conversation).map((fact) => fact.join(' '))
  add(safe(facts.join(' · ')), 'dim')
  for (const turn of turnsOf(conversation)) addTurn(turn, add)
  if (conversation.messages.length === 0) add('\n(no messages)', 'dim')
  return lines.map((line) => `${line}\n`).join('')
}

function addTurn({ day, isNewDay, time, sender, isIncoming, parts }: Turn, add: AddText) {
  if (isNewDay) add(`\n── ${day} ──`, 'bold')
  const start = safe(joined([time, sender], '  '))
  add(`\n${start}`, isIncoming ? 'cyan' : 'bold')
  // Line breaks of a message remain. Those in the name of a file are made visible.
  const newlines = 'keep'
  for (const { kind, text } of parts) {
    if (kind === 'file') add(safe(`[${text}]`), 'dim', indent)
    else if (kind === 'text') add(safe(text, { newlines }), undefined, indent)
    else add(safe(`Subject: ${text}`, { newlines }), 'bold', indent)
  }
  if (parts.length === 0) add('(no text)', 'dim', indent)
}

/** Returns the lines of a text, wrapped to a width. */
function wrapAll(text: string, width: number) {
  const lines = text.replaceAll('\t', '    ').split(/\r?\n/)
  return lines.flatMap((line) => wrap(line, width))
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

/** Returns a conversation as a page of HTML (`-o html`). */
export function page(conversation: Conversation, { now }: PrintOptions): string {
  const { ticket, messages, leftOut } = conversation
  const title = `Ticket ${ticket.id}`
  // The page says when it was saved, because others may read it later.
  const facts = [...ticketFacts(conversation), ['saved', dateToMinute(now)] as const]
  const details = facts.map(([label, text]) => {
    const term = `<dt>${escapeHtml(label)}</dt>`
    const description = `<dd dir="auto">${escapeHtml(text)}</dd>`
    return `<div>${term}${description}</div>`
  })
  const articles = turnsOf(conversation).map(turnHtml)
  const count =
    messages.length === 0 ? 'no messages' : pluralize(messages.length, 'message')
  // A page has no notes, so its foot says what is missing.
  const footer = leftOut === undefined ? count : `${count}; ${leftOut}`
  return `${pageHead(title)}<header>
<h1>${escapeHtml(title)}</h1>
<dl>${details.join('')}</dl>
</header>
<main>
${articles.join('')}<footer>${escapeHtml(footer)}</footer>
</main>
</body>
</html>
`
}

/** Returns a turn as an article, on the left for incoming messages, with the day above the first turn of a day. */
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
  // Marks of direction stay: each text is an element of its own, which isolates what they change.
  const parts = text.split(/([\u061c\u200e\u200f\u2066-\u2069])/)
  const shown = parts.map((part, index) =>
    index % 2 === 1 ? part : safe(part, { newlines }),
  )
  return shown.join('').replace(/[&<>"']/g, (char) => entities[char] ?? '')
}

/** Returns the page up to the beginning of its body. The page runs no script and loads nothing. `title` is plain text. */
function pageHead(title: string) {
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
<title>${escapeHtml(title)}</title>
<style>${css}</style>
</head>
<body>
`
}
