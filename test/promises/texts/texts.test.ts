/**
 * Texts of every class through every output: a long text takes about the processor time of ten that
 * are a tenth as long.
 */
import { expect, it } from 'vitest'
import { SvcError } from '../../../src/errors.ts'
import { Redactor } from '../../../src/safe-text.ts'
import { id, one, plainText, rows, text, type Format } from '../../../src/output/result.ts'
import { transcript } from '../../../src/output/conversation.ts'
import { Messages } from '../../../src/output/messages.ts'
import { Collector } from '../../support/streams.ts'
import { printed } from '../../support/printed.ts'
import { amount } from '../../support/amount.ts'
import { hostWith } from '../../support/real-host.ts'

const length = amount(5_000)
const times = 10
/**
 * Of the time of the short texts: a busy machine may cost this much, what is not in proportion
 * costs `times` as much.
 */
const mostRatio = 4
/** Milliseconds below which a time says nothing. */
const minMs = 3

/**
 * What texts repeat: letters, line breaks, quotes, formulas, controls, half a character, and the
 * beginnings of commands and secrets.
 */
const everywhere = 'x|größe |\n|\r|\t|"|\\|;+1 |\n=1|\u0301|\u001b|\u009b|\u202e|\ud83d|: svc "'
  .split('|')
  .concat('\\"secret\\":\\\\"', 'authorization: ')
/** A letter below many marks. */
const stacked = `e${'\u0301'.repeat(29)}`
/**
 * Wide characters, syllables, emoji and flags: of some only a part, of which the width depends on
 * what is beside it.
 */
const ofWidths =
  ' |\u2800|\u2801\u2800|客|\u0903|क\u094d|\u1100|\u1161|👩‍👩‍👧‍👦|👩\u200d|\u200d|\ufe0f|🇩🇪|🇩|\u{1f3f4}\u{e0067}\u{e0062}\u{e007f}|\u{e0067}|1\ufe0f\u20e3|\u0600'.split(
    '|',
  )
/** The outputs that do not measure how wide a text is. */
const unmeasured = /^(?:json|ndjson|csv|xlsx|text)$/
const unitsOf = (output: string) =>
  unmeasured.test(output) ? everywhere : [...everywhere, stacked, ...ofWidths]

const view = { columns: { ID: id('id'), TEXT: text('text') } }

const messages = (): Messages => {
  const redactor = new Redactor()
  redactor.addSecret('a secret of "ours"')
  const stderr = new Collector()
  return new Messages(hostWith({ stderr }), redactor)
}

const conversationOf = (words: string) => ({
  direction: 'incoming',
  text: words,
  subject: words,
  attachments: [{ fileName: words }],
})

const formats: readonly Format[] = ['table', 'json', 'ndjson', 'csv', 'xlsx']
const rowOf = (words: string) => ({ id: '1', text: words })
const outputs: Readonly<Record<string, (words: string) => unknown>> = {
  ...Object.fromEntries(
    formats.map((format) => [
      format,
      (words: string) => printed(rows([rowOf(words)]), view, { format }),
    ]),
  ),
  'a table on a terminal': (words) => printed(rows([rowOf(words)]), view, { width: 80 }),
  text: (words) => printed(plainText(words)),
  'a record': (words) => printed(one(rowOf(words)), view, { width: 80 }),
  transcript: (words) =>
    transcript({ id: '1', status: 'active' }, undefined, [conversationOf(words)]),
  errors: (words) => {
    messages().error(new SvcError('failed', words, { hint: words }))
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
    const long = unit.repeat(Math.ceil(length / unit.length))
    const short = long.slice(0, Math.ceil(long.length / times))
    const printShortTexts = async () => {
      for (let count = 0; count < times; count += 1) await print(short)
    }
    await print(short)
    let ratio = Infinity
    // A busy machine may disturb one measurement, not three.
    for (let tries = 0; tries < 3 && ratio > mostRatio; tries += 1) {
      const shortMs = Math.max(minMs, await spent(printShortTexts))
      ratio = (await spent(() => print(long))) / shortMs
    }
    expect(ratio, JSON.stringify(unit)).toBeLessThanOrEqual(mostRatio)
  }
})
