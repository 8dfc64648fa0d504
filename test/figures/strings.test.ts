/**
 * Random and hostile strings through everything that a person reads: tables, transcripts, errors and notes, questions. The
 * bytes are searched for anything live, and a terminal without a window shows them. 800 strings here, 100,000 for
 * `npm run figures -- strings`.
 */
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import type { Message } from '../../src/api/schemas.ts'
import { SvcError } from '../../src/errors.ts'
import { Messages } from '../../src/output/stderr.ts'
import { rows, type View } from '../../src/output/result.ts'
import { ask } from '../../src/output/questions/prompt.ts'
import { Redactor } from '../../src/output/text/redact.ts'
import { transcript } from '../../src/output/formats/transcript.ts'
import { options, printed } from '../output/printed.ts'
import { hostileText, liveIn, seeded, show } from '../output/screen.ts'
import { Collector } from '../svc.ts'
import { figure, howMany } from './figure.ts'

const count = howMany('STRINGS', 800)
const long = { timeout: 900_000 }

/** The same strings for each output, in parts. */
function* parts(size: number): Generator<readonly string[]> {
  const random = seeded(20)
  for (let made = 0; made < count; made += size) {
    yield Array.from({ length: Math.min(size, count - made) }, () => hostileText(random))
  }
}

/** Counts what is live in an output; line ends may be. */
function judge(output: string, strings: number, live: string[]): void {
  figure(`strings through ${output}`, strings)
  figure('live control characters', live.length)
  expect(live).toEqual([])
}

interface Row {
  readonly id: string
  readonly text: string
  readonly end: string
}

const view: View<Row> = {
  columns: [
    { title: 'ID', field: 'id', kind: 'id' },
    { title: 'TEXT', field: 'text' },
    { title: 'END', field: 'end' },
  ],
}

/** UTF-8 has no unpaired surrogates: encoding replaces them, as JSON does. */
const whole = (text: string): string => Buffer.from(text).toString()

it('tables: nothing live, and JSON comes back equal', long, async () => {
  const random = seeded(21)
  for (const texts of parts(500)) {
    const data = texts.map((text, n) => ({ id: `#${n}`, text, end: 'end' }))
    const width = 30 + Math.floor(random() * 100)
    const { stdout } = await printed(rows(data), view, { width })
    judge('tables', texts.length, liveIn(stdout))
    const screen = await show(stdout, { columns: width })
    expect(screen.events).toEqual([])
    for (const format of ['ndjson', 'json'] as const) {
      const json = (await printed(rows(data), view, { format })).stdout
      judge(format, texts.length, liveIn(json))
      const back =
        format === 'json'
          ? JSON.parse(json)
          : json
              .trimEnd()
              .split('\n')
              .map((line) => JSON.parse(line) as unknown)
      expect(back).toEqual(data.map((row) => ({ ...row, text: whole(row.text) })))
    }
  }
})

it('transcripts: nothing live, and no text at the edge', long, async () => {
  for (const texts of parts(500)) {
    const messages = texts.map((text, n): Message => ({
      id: String(n),
      sentAt: '2026-03-01T10:15:00.000Z',
      direction: n % 2 === 0 ? 'incoming' : 'outgoing',
      // Each string where a person may have written it.
      ...(n % 4 === 0
        ? { subject: text }
        : n % 4 === 1
          ? { fromId: text }
          : n % 4 === 2
            ? { attachments: [{ fileName: text }] }
            : { text }),
    }))
    let shown = ''
    const conversation = { ticket: { id: '1', status: 'active' }, names: new Map<string, string>() }
    const print = { ...options, width: 80 }
    for await (const piece of transcript({ conversation, messages, print })) shown += piece
    judge('transcripts', texts.length, liveIn(shown))
    const screen = await show(shown, { columns: 80 })
    expect(screen.events).toEqual([])
  }
})

it.each(['text', 'json'] as const)(
  'errors, warnings and notes as %s: nothing live, JSON comes back equal',
  long,
  (format) => {
    for (const texts of parts(500)) {
      const stderr = new Collector()
      const messages = new Messages(
        { stderr, isTerminal: { stdin: false, stdout: false, stderr: true }, columns: () => 80, now: () => 0 },
        new Redactor(),
        format,
      )
      messages.verbose = 2
      for (const [n, text] of texts.entries()) {
        if (n % 4 === 0)
          messages.error(new SvcError('rejected', `the service says: ${text}`, { hint: text }), undefined)
        else if (n % 4 === 1) messages.warn(text)
        else if (n % 4 === 2) messages.note(text)
        else messages.log(2, text)
      }
      // A message keeps the tabs and line ends of what it quotes.
      judge(`errors as ${format}`, texts.length, liveIn(stderr.text.replaceAll(/\t|\r(?=\n)/g, '')))
      if (format === 'text') continue
      const back = stderr.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { message?: string; error?: { hint: string } })
      expect(back.map(({ message, error }) => error?.hint ?? message)).toEqual(texts.map(whole))
    }
  },
)

/** What a question does to the terminal by itself: columns, lines, clearing a line, the cursor shown and hidden. */
const ofQuestions = new RegExp(String.raw`\x1b\[(?:\d*[GK]|\d*[AB]|\?25[hl])`, 'g')

it('questions: nothing live but what draws the question', long, async () => {
  const random = seeded(22)
  // Twenty names in a question, and one of them alone at its beginning.
  for (const texts of parts(20)) {
    const [input, output] = [new PassThrough(), new Collector()]
    input.write('\n')
    const message = `${texts[0] ?? ''} delete ${texts.map((text) => `"${text}"`).join(', ')}?`
    const columns = 40 + Math.floor(random() * 80)
    expect(await ask({ kind: 'yes-no', message }, { input, output, columns, close: () => undefined })).toBe(false)
    judge('questions', texts.length, liveIn(output.text.replaceAll(ofQuestions, '')))
  }
})

it('a live character would be counted', () => {
  const names = ['\u001b[2J', '\u009b2J', '\u202e', '\u0007', '\u001b]0;t\u0007', '\r', '\u200b']
  expect(names.filter((text) => liveIn(`x${text.replaceAll(ofQuestions, '')}`).length === 0)).toEqual([])
})
