/**
 * A conversation as text to read (`-o transcript`): days, times, senders, wrapped lines, all of it safe to
 * show.
 */
import { loadPaints, type Paints } from '../text/paint.ts'
import { safe } from '../../safe-text.ts'
import { wrap } from '../text/width.ts'
import {
  isText,
  ticketFacts,
  turns,
  type ConversationInput,
  type TurnPart,
  type Turn,
} from '../conversation.ts'

/** Off a terminal: wide enough to be read, narrow enough for a letter. */
const usualWidth = 100
/** The eye loses longer lines, however wide the terminal is. */
const widest = 120
/** Text is below its sender and never at the edge, so that no message can look like the beginning of another. */
const indent = ' '.repeat(7)
/** Text pieces, each one or more whole lines. */
export async function* transcript(input: ConversationInput): AsyncGenerator<string> {
  const { conversation, print } = input
  const paints = await loadPaints(print.color)
  const width = Math.min(widest, Math.max(20, print.width ?? usualWidth))
  const facts = ticketFacts(input).map(([name, value]) => `${name} ${value}`)
  const head = wrap(safe(`ticket ${conversation.ticket.id}`), width).map(paints.heading)
  const below = wrap(safe(facts.join(' · ')), width).map(paints.dim)
  yield `${[...head, ...below].join('\n')}\n`
  let isEmpty = true
  for await (const turn of turns(input)) {
    isEmpty = false
    const ruled = `── ${turn.day} ──`
    const line = ruled.length > width ? turn.day : ruled
    if (turn.isNewDay) yield `\n${paints.heading(line)}\n`
    yield* turnText(turn, width, paints)
  }
  if (isEmpty) yield `\n${paints.dim('(no messages)')}\n`
}

/** A turn: its time and sender on a line at the edge, and below it, indented, what was written. */
function* turnText(
  { isDated, parts, sender, time, isIncoming }: Turn,
  width: number,
  paints: Paints,
): Generator<string> {
  // A turn without a date may be without a time too.
  const start = isDated || isText(time) ? `${time}  ${sender}` : sender
  const paintHeading = isIncoming ? paints.state('incoming') : paints.heading
  const headings = linesOf(start, width, 'visible').map(paintHeading)
  yield `\n${headings.join(`\n${indent}`)}\n`
  for (const part of parts) {
    // Line breaks of a message stay, those of a file's name are made visible.
    const newlines = part.kind === 'file' ? 'visible' : 'keep'
    const { words, paint } = looksOf(part, paints)
    const lines = linesOf(words, width - indent.length, newlines)
    yield lines.map((line) => `${indent}${paint(line)}\n`).join('')
  }
  if (parts.length === 0) yield `${indent}${paints.dim('(no text)')}\n`
}

function looksOf({ kind, text }: TurnPart, { heading, dim }: Paints) {
  switch (kind) {
    case 'subject':
      return { words: `Subject: ${text}`, paint: heading }
    case 'text':
      return { words: text, paint: (line: string) => line }
    case 'file':
      return { words: `[${text}]`, paint: dim }
  }
}

/** Lines of a text. */
function linesOf(text: string, width: number, newlines: 'keep' | 'visible'): string[] {
  const lines = safe(text, { newlines }).split(/\r?\n/)
  return lines.flatMap((line) => wrap(line.replaceAll('\t', '    '), width))
}
