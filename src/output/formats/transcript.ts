/**
 * A conversation as text to read (`-o transcript`): days, times, senders, wrapped lines, all of it safe to show. `render.ts` loads it for
 * that format alone; what it has in common with the page stands in `conversation.ts`. `output/histories.ts` hands it the messages.
 */
import { loadPaints, type Paint, type Paints } from '../text/paint.ts'
import { safe } from '../../safe-text.ts'
import { wrap } from '../text/width.ts'
import {
  attachmentWords,
  stoppedHere,
  dayHeading,
  isText,
  ticketFacts,
  turns,
} from '../conversation.ts'
import type { ConversationInput, Turn } from '../conversation.ts'

/** Off a terminal: wide enough to be read, narrow enough for a letter. */
const usualWidth = 100
/** The eye loses longer lines, however wide the terminal is. */
const widest = 120
/** Text stands below its sender, never at the edge: no message can look like the beginning of another. */
const indent = ' '.repeat(7)
/** Lines of one message between two chances to hear a signal. */
const linesAtOnce = 1 << 12

/**
 * Text pieces, each one or more whole lines.
 * @param isBroken whether they ended early without throwing; asked for behind the last one
 */
export async function* transcript(
  input: ConversationInput,
  isBroken = () => false,
): AsyncGenerator<string> {
  const { conversation, print } = input
  const paints = await loadPaints(print.color)
  const width = Math.min(widest, Math.max(20, print.width ?? usualWidth))
  const details = ticketFacts(input)
    .map(([name, value]) => `${name} ${value}`)
    .join(' · ')
  const title = safe(`ticket ${conversation.ticket.id}`)
  const head = wrap(title, width).map(paints.heading)
  const below = wrap(safe(details), width).map(paints.dim)
  yield `${[...head, ...below].join('\n')}\n`
  let day: string | undefined
  let empty = true
  for await (const turn of turns(input)) {
    empty = false
    const heading = dayHeading(turn.date)
    if (heading !== day) {
      const ruled = `── ${heading} ──`
      const line = ruled.length > width ? heading : ruled
      yield `\n${paints.heading(line)}\n`
    }
    day = heading
    yield* turnText(turn, width, paints)
  }
  const lastLine = (words: string): string => `\n${paints.dim(`(${words})`)}\n`
  if (isBroken()) yield lastLine(stoppedHere)
  else if (empty) yield lastLine('no messages')
}

/** A turn: its time and sender on a line at the edge, and below it, indented, what was written. */
function* turnText(
  { date, messages, sender, time, incoming }: Turn,
  width: number,
  paints: Paints,
): Generator<string> {
  const album = messages.length > 1 ? ` · album of ${messages.length}` : ''
  // A turn without a date may be without a time too.
  const start = date === undefined && !isText(time) ? sender : `${time}  ${sender}`
  const paintHeading = incoming ? paints.state('incoming') : paints.strong
  const headingLines = [...block(start + album, width, 'visible')].flat()
  const heading = headingLines.map(paintHeading).join(`\n${indent}`)
  let before = `\n${heading}\n`
  const texts = messages.flatMap((message) => textsOf(message, paints))
  for (const { text, paint, newlines } of texts) {
    for (const lines of block(text, width - indent.length, newlines)) {
      const painted = lines.map((line) => `${indent}${paint(line)}\n`)
      yield before + painted.join('')
      before = ''
    }
  }
  if (before !== '') yield `${before}${indent}${paints.dim('(no text)')}\n`
}

/** Text of a message with how it looks: line breaks of a message stay, those of a file's name are made visible. */
interface PaintedText {
  readonly text: string
  readonly paint: Paint
  readonly newlines: 'keep' | 'visible'
}

function textsOf(
  { subject, text, attachments }: Turn['messages'][number],
  paints: Paints,
): PaintedText[] {
  const texts: PaintedText[] = []
  if (isText(subject)) {
    texts.push({
      text: `Subject: ${subject}`,
      paint: paints.strong,
      newlines: 'keep',
    })
  }
  if (isText(text)) {
    texts.push({
      text,
      paint: (line) => line,
      newlines: 'keep',
    })
  }
  for (const attachment of attachments ?? []) {
    const words = `[${attachmentWords(attachment)}]`
    texts.push({ text: words, paint: paints.dim, newlines: 'visible' })
  }
  return texts
}

/** Lines of a text, so many at once that signals are heard between them. */
function* block(text: string, width: number, newlines: 'keep' | 'visible'): Generator<string[]> {
  const lines = safe(text, { newlines }).split(/\r?\n/)
  const wrapLine = (line: string): string[] => {
    const withoutTabs = line.replaceAll('\t', '    ')
    return wrap(withoutTabs, width)
  }
  for (let at = 0; at < lines.length; at += linesAtOnce) {
    yield lines.slice(at, at + linesAtOnce).flatMap(wrapLine)
  }
}
