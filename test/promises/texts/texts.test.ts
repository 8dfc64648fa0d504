/** Texts of every class through every output: ten times the length takes about ten times the processor time. */
import { expect, it } from 'vitest'
import { SvcError } from '../../../src/errors.ts'
import { Redactor } from '../../../src/safe-text.ts'
import {
  id,
  one,
  plainText,
  rows,
  text,
  type Conversation,
  type Format,
} from '../../../src/output/result.ts'
import { Messages } from '../../../src/output/stderr.ts'
import { Collector } from '../../support/svc.ts'
import { printed } from '../../support/printed.ts'
import { amount } from '../../support/amount.ts'

const length = amount(5_000)
/** A test on a busy machine only tells proportion from its square. */
const maxTimes = 40
/** Milliseconds below which a time says nothing. */
const minMs = 3

/** What is repeated: everywhere, and where widths are looked at, which is more than a character to the eye. */
const everywhere = 'x|größe |\n|\r|\t|"|\\|;+1 |\n=1|\u0301|\u001b|\u009b|\u202e|\ud83d|: svc "'
  .split('|')
  .concat('\\"secret\\":\\\\"', 'authorization: ')
const stacked = `e${'\u0301'.repeat(29)}`
const ofWidths =
  ' |\u2800|\u2801\u2800|客|\u0903|क\u094d|\u1100|\u1161|👩‍👩‍👧‍👦|👩\u200d|\u200d|\ufe0f|🇩🇪|🇩|\u{1f3f4}\u{e0067}\u{e0062}\u{e007f}|\u{e0067}|1\ufe0f\u20e3|\u0600'.split(
    '|',
  )
const unmeasured = /^(?:json|ndjson|csv|xlsx|text|html)$/
const unitsOf = (output: string) =>
  unmeasured.test(output) ? everywhere : [...everywhere, stacked, ...ofWidths]

const view = { columns: { ID: id('id'), TEXT: text('text') } }

const messages = (): Messages => {
  const redactor = new Redactor()
  redactor.addSecret('a secret of "ours"')
  const stderr = new Collector()
  return new Messages({ stderr }, redactor)
}

const conversationOf = (text: string): Conversation => ({
  kind: 'conversation',
  omission: undefined,
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
  for (const unit of unitsOf(output)) {
    const text = unit.repeat(Math.ceil(length / unit.length))
    const short = text.slice(0, Math.ceil(length / 10))
    await print(short)
    let times = Infinity
    // A busy machine may disturb one measurement, not three.
    for (let tries = 0; tries < 3 && times > maxTimes; tries += 1) {
      const one = Math.max(minMs, await spent(() => print(short)))
      times = (await spent(() => print(text))) / one
    }
    expect(times, JSON.stringify(unit)).toBeLessThanOrEqual(maxTimes)
  }
})
