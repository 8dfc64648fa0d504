/**
 * Long texts of every class through every output: none takes time that grows with the square of its
 * length.
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

/** Takes up to 150 ms of processor time, and minutes in an output that is quadratic. */
const length = amount(100_000)
const mostMs = amount(2_000)

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

const redactor = new Redactor()
redactor.addSecret('a secret of "ours"')
const messages = new Messages(hostWith({ stderr: new Collector() }), redactor)

const conversationOf = (words: string) => ({
  direction: 'incoming',
  text: words,
  subject: words,
  attachments: [{ fileName: words }],
})

const rowOf = (words: string) => ({ id: '1', text: words })
const rowIn = (format: Format, width?: number) => (words: string) =>
  printed(rows([rowOf(words)]), view, { format, width })
const outputs: Readonly<Record<string, (words: string) => unknown>> = {
  table: rowIn('table'),
  'a table on a terminal': rowIn('table', 80),
  json: rowIn('json'),
  ndjson: rowIn('ndjson'),
  csv: rowIn('csv'),
  xlsx: rowIn('xlsx'),
  text: (words) => printed(plainText(words)),
  'a record': (words) => printed(one(rowOf(words)), view, { width: 80 }),
  transcript: (words) =>
    transcript({ id: '1', status: 'active' }, undefined, [conversationOf(words)]),
  errors: (words) => messages.error(new SvcError('failed', words, { hint: words })),
}

it.each(Object.entries(outputs))('%s: in proportion', async (output, print) => {
  for (const unit of unitsOf(output)) {
    const long = unit.repeat(Math.ceil(length / unit.length))
    const before = process.cpuUsage()
    await print(long)
    const { user, system } = process.cpuUsage(before)
    expect(user + system, JSON.stringify(unit)).toBeLessThan(mostMs * 1000)
  }
})
