/** A conversation as text to read: days, times, senders, wrapped lines. All of it is safe to show. */
import { loadPaints, type Paints } from '../text/paint.ts'
import { safe } from '../text/safe.ts'
import { wrap } from '../text/width.ts'
import { attachmentWords, stoppedHere, dayHeading, isText, ticketFacts, turns } from '../conversation.ts'
import type { ConversationInput, Turn } from '../conversation.ts'

/** Off a terminal: wide enough to be read, narrow enough for a letter. */
const usualWidth = 100
/** The eye loses longer lines, however wide the terminal is. */
const widest = 120
/** Text stands below its sender, never at the edge: no message can look like the beginning of another. */
const indent = ' '.repeat(7)

/**
 * Text pieces, each one or more whole lines.
 * @param isBroken whether they ended early without throwing; asked for behind the last one
 */
export async function* transcript(input: ConversationInput, isBroken = () => false): AsyncGenerator<string> {
  const { conversation, print } = input
  const paints = await loadPaints(print.color)
  const width = Math.min(widest, Math.max(20, print.width ?? usualWidth))
  const facts = ticketFacts(input)
    .map(([name, value]) => `${name} ${value}`)
    .join(' · ')
  const head = wrap(safe(`ticket ${conversation.ticket.id}`), width).map(paints.heading)
  yield `${[...head, ...wrap(safe(facts), width).map(paints.dim)].join('\n')}\n`
  let day: string | undefined
  let empty = true
  for await (const turn of turns(input)) {
    empty = false
    const heading = dayHeading(turn.date)
    if (heading !== day) yield `\n${paints.heading(heading.length + 6 > width ? heading : `── ${heading} ──`)}\n`
    day = heading
    yield turnText(turn, width, paints)
  }
  if (isBroken()) yield `\n${paints.dim(`(${stoppedHere})`)}\n`
  else if (empty) yield `\n${paints.dim('(no messages)')}\n`
}

function turnText({ date, messages, sender, time, incoming }: Turn, width: number, paints: Paints): string {
  const album = messages.length > 1 ? ` · album of ${messages.length}` : ''
  const start = date === undefined ? [time, sender].filter(isText).join('  ') : `${time}  ${sender}`
  const heading = block(`${start}${album}`, width, 'visible').map(incoming ? paints.state('incoming') : paints.strong)
  const inner = width - indent.length
  const body = messages.flatMap(({ subject, text, attachments }) => [
    ...(isText(subject) ? block(`Subject: ${subject}`, inner).map(paints.strong) : []),
    ...(isText(text) ? block(text, inner) : []),
    ...(attachments ?? []).flatMap((each) => block(`[${attachmentWords(each)}]`, inner, 'visible').map(paints.dim)),
  ])
  const lines = body.length === 0 ? [paints.dim('(no text)')] : body
  return `\n${heading.join(`\n${indent}`)}\n${lines.map((line) => `${indent}${line}\n`).join('')}`
}

function block(text: string, width: number, newlines: 'keep' | 'visible' = 'keep'): string[] {
  const lines = safe(text, { newlines }).split(/\r?\n/)
  return lines.flatMap((line) => wrap(line.replaceAll('\t', '    '), width))
}
