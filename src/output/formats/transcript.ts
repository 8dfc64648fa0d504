/** A conversation as text to read: days, times, senders, wrapped lines. All of it is safe to show. */
import { loadPaints, type Paints } from '../text/paint.ts'
import { safe, safePieces, turn as eventLoopTurn } from '../text/safe.ts'
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
    yield* inTurns(turnText(turn, width, paints))
  }
  if (isBroken()) yield `\n${paints.dim(`(${stoppedHere})`)}\n`
  else if (empty) yield `\n${paints.dim('(no messages)')}\n`
}

/** A piece of a long text can be nothing but blanks, which go away: then nothing is written that would take a turn. */
async function* inTurns(pieces: Iterable<string>): AsyncGenerator<string> {
  let isFirst = true
  for (const piece of pieces) {
    if (!isFirst) await eventLoopTurn()
    isFirst = false
    yield piece
  }
}

/** In pieces of about the same work, whatever their length. */
function* turnText(turn: Turn, width: number, paints: Paints): Generator<string> {
  const { messages, sender, time, incoming } = turn
  const album = messages.length > 1 ? ` · album of ${messages.length}` : ''
  const start = turn.date === undefined ? [time, sender].filter(isText).join('  ') : `${time}  ${sender}`
  const paint = incoming ? paints.state('incoming') : paints.strong
  const heading = [...block(`${start}${album}`, width, 'visible')].flat().map(paint)
  let text = `\n${heading.join(`\n${indent}`)}\n`
  let isEmpty = true
  for (const lines of bodyLines(messages, width - indent.length, paints)) {
    isEmpty = false
    yield text + lines.map((line) => `${indent}${line}\n`).join('')
    text = ''
  }
  if (isEmpty) yield `${text}${indent}${paints.dim('(no text)')}\n`
}

function* bodyLines(messages: Turn['messages'], width: number, paints: Paints): Generator<string[]> {
  for (const message of messages) {
    if (isText(message.subject))
      for (const lines of block(`Subject: ${message.subject}`, width)) yield lines.map(paints.strong)
    if (isText(message.text)) yield* block(message.text, width)
    for (const attachment of message.attachments ?? []) {
      for (const lines of block(`[${attachmentWords(attachment)}]`, width, 'visible')) yield lines.map(paints.dim)
    }
  }
}

/** The lines of a text, those of a piece of it at once. */
function* block(text: string, width: number, newlines: 'keep' | 'visible' = 'keep'): Generator<string[]> {
  let end = ''
  for (const piece of safePieces(text, { newlines })) {
    end = /\r?\n$/.exec(piece.slice(-2))?.[0] ?? ''
    const lines = piece.slice(0, piece.length - end.length).split(/\r?\n/)
    yield lines.flatMap((line) => wrap(line.replaceAll('\t', '    '), width))
  }
  if (end !== '') yield ['']
}
