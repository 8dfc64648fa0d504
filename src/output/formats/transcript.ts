/** A conversation as text to read: days, times, senders, wrapped lines. All of it is safe to show. */
import { loadPaints, type Paints } from '../paint.ts'
import { safe } from '../safe.ts'
import { wrap } from '../width.ts'
import {
  attachmentWords,
  brokenOff,
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
 * Text pieces, each one or more whole lines. When the messages break off, says so and throws what they threw.
 * @param isBroken whether they ended early without throwing; asked for behind the last one
 */
export async function* transcript(input: ConversationInput, isBroken = () => false): AsyncGenerator<string> {
  const { conversation, print } = input
  const paints = await loadPaints(print.color)
  const width = Math.min(widest, Math.max(20, print.width ?? usualWidth))
  const facts = ticketFacts(input)
    .map(([name, value]) => `${name} ${value}`)
    .join(' · ')
  yield lines(
    wrap(safe(`ticket ${conversation.ticket.id}`), width).map(paints.heading),
    wrap(safe(facts), width).map(paints.dim),
  )
  let day: string | undefined
  let empty = true
  try {
    for await (const turn of turns(input)) {
      empty = false
      const heading = dayHeading(turn.date)
      if (heading !== day) yield `\n${paints.heading(heading.length + 6 > width ? heading : `── ${heading} ──`)}\n`
      day = heading
      yield `\n${turnText(turn, width, paints)}`
    }
  } catch (error) {
    yield `\n${paints.dim(`(${brokenOff})`)}\n`
    throw error
  }
  if (isBroken()) yield `\n${paints.dim(`(${brokenOff})`)}\n`
  else if (empty) yield `\n${paints.dim('(no messages)')}\n`
}

function turnText(turn: Turn, width: number, paints: Paints): string {
  const { messages, sender, time, incoming } = turn
  const album = messages.length > 1 ? ` · album of ${messages.length}` : ''
  const start = turn.date === undefined ? [time, sender].filter(isText).join('  ') : `${time}  ${sender}`
  const [first = '', ...more] = wrap(safe(`${start}${album}`), width)
  const paint = incoming ? paints.state('incoming') : paints.strong
  const head = [paint(first), ...more.map((line) => indent + paint(line))]
  const body = messages.flatMap((message) => {
    const subject = isText(message.subject) ? block(`Subject: ${message.subject}`, width).map(paints.strong) : []
    const text = isText(message.text) ? block(message.text, width) : []
    const files = (message.attachments ?? []).flatMap((attachment) =>
      block(`[${attachmentWords(attachment)}]`, width, 'visible').map(paints.dim),
    )
    return [...subject, ...text, ...files]
  })
  return lines(
    head,
    (body.length === 0 ? [paints.dim('(no text)')] : body).map((line) => indent + line),
  )
}

function block(text: string, width: number, newlines: 'keep' | 'visible' = 'keep'): string[] {
  return safe(text, { newlines })
    .split(/\r?\n/)
    .flatMap((line) => wrap(line.replaceAll('\t', '    '), width - indent.length))
}

function lines(...groups: readonly (readonly string[])[]): string {
  return groups
    .flat()
    .map((line) => `${line}\n`)
    .join('')
}
