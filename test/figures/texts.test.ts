/** Texts of every class through every output: ten times the length takes about ten times the processor time. */
import { expect, it } from 'vitest'
import { SvcError } from '../../src/errors.ts'
import { Redactor } from '../../src/redactor.ts'
import { one, rows, text as plainText, type Conversation } from '../../src/output/result.ts'
import type { Format } from '../../src/output/format.ts'
import { Messages } from '../../src/output/stderr.ts'
import { Collector } from '../svc.ts'
import { printed } from '../output/printed.ts'
import { amount } from '../amount.ts'

const length = amount(5_000)
/** A test on a busy machine only tells proportion from its square. */
const maxTimes = 40
/** Milliseconds below which a time says nothing. */
const minMs = 3

const classes: Readonly<Record<string, string>> = {
  letters: 'x',
  words: 'größe ',
  blanks: ' ',
  'line ends': '\n',
  'carriage returns': '\r',
  tabs: '\t',
  quotes: '"',
  backslashes: '\\',
  signs: ';+1 ',
  formulas: '\n=1',
  'blank braille': '\u2800',
  braille: '\u2801\u2800',
  wide: '客',
  marks: '\u0301',
  'stacked marks': `e${'\u0301'.repeat(29)}`,
  'spacing marks': '\u0903',
  viramas: 'क\u094d',
  'leading consonants of Hangul': '\u1100',
  'vowels of Hangul': '\u1161',
  families: '👩‍👩‍👧‍👦',
  'emoji and joiners': '👩\u200d',
  joiners: '\u200d',
  selectors: '\ufe0f',
  flags: '🇩🇪',
  'halves of flags': '🇩',
  'flags of lands': '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
  tags: '\u{e0067}',
  keycaps: '1\ufe0f\u20e3',
  'number signs': '\u0600',
  controls: '\u001b',
  'controls of C1': '\u009b',
  bidi: '\u202e',
  surrogates: '\ud83d',
  'members of JSON': '\\"secret\\":\\\\"',
  headers: 'authorization: ',
  commands: ': svc "',
}

/** They do not look at widths: what is more than a character to the eye is nothing special to them. */
const unmeasured = /^(?:json|ndjson|csv|xlsx|text|html)$/
const escaped =
  /^(?:letters|words|line ends|carriage returns|tabs|quotes|backslashes|signs|formulas|marks|controls|bidi|surrogates|members of JSON|headers|commands)$/

const classesOf = (output: string) =>
  Object.entries(classes).filter(([name]) => !unmeasured.test(output) || escaped.test(name))

const view = { columns: { ID: 'id', TEXT: 'text' } }

const messages = (): Messages => {
  const redactor = new Redactor()
  redactor.addSecret('a secret of "ours"')
  const stderr = new Collector()
  return new Messages({ stderr }, redactor)
}

const conversationOf = (text: string): Conversation => ({
  kind: 'conversation',
  leftOut: undefined,
  ticket: { id: '1', status: 'active' },
  names: new Map<string, string>(),
  messages: [{ direction: 'incoming', text, subject: text, attachments: [{ fileName: text }] }],
})

const formats: readonly Format[] = ['table', 'json', 'ndjson', 'csv', 'xlsx']
const outputs: Readonly<Record<string, (text: string) => unknown>> = {
  ...Object.fromEntries(
    formats.map((format) => [
      format,
      (text: string) => printed(rows([{ id: '1', text }]), view, { format }),
    ]),
  ),
  'a table on a terminal': (text) => printed(rows([{ id: '1', text }]), view, { width: 80 }),
  text: (words) => printed(plainText(words)),
  'a record': (text) => printed(one({ id: '1', text }), view, { width: 80 }),
  transcript: (text) => printed(conversationOf(text), {}, { format: 'transcript', width: 80 }),
  html: (text) => printed(conversationOf(text), {}, { format: 'html' }),
  errors: (text) => {
    messages().error(new SvcError('rejected', text, { hint: text }))
  },
}

/** Milliseconds of processor time. */
async function spent(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const timeout = 60_000

it.each(Object.entries(outputs))('%s: in proportion', { timeout }, async (output, print) => {
  for (const [name, unit] of classesOf(output)) {
    const text = unit.repeat(Math.ceil(length / unit.length))
    const short = text.slice(0, Math.ceil(length / 10))
    await print(short)
    let times = Infinity
    // A busy machine may disturb one measurement, not three.
    for (let tries = 0; tries < 3 && times > maxTimes; tries += 1) {
      const one = Math.max(minMs, await spent(() => print(short)))
      times = (await spent(() => print(text))) / one
    }
    expect(times, name).toBeLessThanOrEqual(maxTimes)
  }
})
