/** A conversation as text to read: days, times, senders, wrapped lines. All of it is safe to show. */
import { loadPaints, type Paints } from '../text/paint.ts'
import { safe, safePieces } from '../text/safe.ts'
import { wrap } from '../text/width.ts'
import {
  attachmentWords,
  stoppedHere,
  dayHeading,
  isText,
  ticketFacts,
  turns,
  type ConversationInput,
  type Turn,
} from '../conversation.ts'

/** Off a terminal: wide enough to be read, narrow enough for a letter. */
const usualWidth = 100
/** The eye loses longer lines, however wide the terminal is. */
const widest = 120
/** Text stands below its sender, never at the edge: no message can look like the beginning of another. */
const indent = ' '.repeat(7)

/**
 * Text pieces, each one or more whole lines. When the messages stop early, it says so and throws what they threw.
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
  try {
    for await (const turn of turns(input)) {
      empty = false
      const heading = dayHeading(turn.date)
      if (heading !== day) yield `\n${paints.heading(heading.length + 6 > width ? heading : `── ${heading} ──`)}\n`
      day = heading
      yield* turnText(turn, width, paints)
    }
  } catch (error) {
    yield `\n${paints.dim(`(${stoppedHere})`)}\n`
    throw error
  }
  if (isBroken()) yield `\n${paints.dim(`(${stoppedHere})`)}\n`
  else if (empty) yield `\n${paints.dim('(no messages)')}\n`
}

/** Lines that are handed on at once. */
const linesAtOnce = 200

function* turnText(turn: Turn, width: number, paints: Paints): Generator<string> {
  const { messages, sender, time, incoming } = turn
  const album = messages.length > 1 ? ` · album of ${messages.length}` : ''
  const start = turn.date === undefined ? [time, sender].filter(isText).join('  ') : `${time}  ${sender}`
  const paint = incoming ? paints.state('incoming') : paints.strong
  let text = '\n'
  let count = 0
  for (const line of block(`${start}${album}`, width, 'visible')) {
    text += `${count === 0 ? '' : indent}${paint(line)}\n`
    count += 1
  }
  const body = bodyLines(messages, width - indent.length, paints)
  let isEmpty = true
  for (const line of body) {
    isEmpty = false
    text += `${indent}${line}\n`
    count += 1
    if (count % linesAtOnce !== 0) continue
    yield text
    text = ''
  }
  yield isEmpty ? `${text}${indent}${paints.dim('(no text)')}\n` : text
}

function* bodyLines(messages: Turn['messages'], width: number, paints: Paints): Generator<string> {
  for (const message of messages) {
    if (isText(message.subject))
      for (const line of block(`Subject: ${message.subject}`, width)) yield paints.strong(line)
    if (isText(message.text)) yield* block(message.text, width)
    for (const attachment of message.attachments ?? []) {
      for (const line of block(`[${attachmentWords(attachment)}]`, width, 'visible')) yield paints.dim(line)
    }
  }
}

function* block(text: string, width: number, newlines: 'keep' | 'visible' = 'keep'): Generator<string> {
  let end = ''
  for (const piece of safePieces(text, { newlines })) {
    end = /\r?\n$/.exec(piece.slice(-2))?.[0] ?? ''
    const lines = piece.slice(0, piece.length - end.length).split(/\r?\n/)
    for (const line of lines) yield* wrap(line.replaceAll('\t', '    '), width)
  }
  if (end !== '') yield ''
}
