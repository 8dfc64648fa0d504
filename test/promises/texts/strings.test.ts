/** Random, hostile and long strings through all that people read: no byte is live. */
import terminalCells from 'string-width'
import { expect, it } from 'vitest'
import { SvcError } from '../../../src/errors.ts'
import { Messages } from '../../../src/output/messages.ts'
import { id, one, rows, text } from '../../../src/output/result.ts'
import { confirm } from '../../../src/output/questions.ts'
import { transcript, type ConversationMessage } from '../../../src/output/conversation.ts'
import { printed } from '../../support/printed.ts'
import { Dice } from '../../support/dice.ts'
import { Collector, typing } from '../../support/streams.ts'
import { amount } from '../../support/amount.ts'
import { hostWith, realHost } from '../../support/real-host.ts'

/** Commands of terminals, controls, what nobody sees, and what is no character. */
const attacks: readonly string[] = [
  '\u001b[2J\u001b[H \u001b]0;owned\u0007 \u001b]52;c;cm0gLXJmIC8=\u0007 \u001b[6n \u001b[c \u001b[?1049h',
  '\u001b]8;;http://evil.example\u001b\\click\u001b]8;;\u001b\\ \u001bP$q"p\u001b\\ \u001b[31m',
  '\u009b2J \u009d0;c1\u00a0title\u009c \u0090q\u009c',
  '\r \n \t \b\b\b\b \u0007 \u000b\u000c \u0000 \u007f \u0085 \u2028\u2029',
  '\u202e \u202d\u202c \u2066\u2067\u2068\u2069 \u061c\u200e\u200f \u200b\u2060\ufeff \u00ad \u180e',
  '\ufff9\ufffa\ufffb \u{e0001}\u{e0041}\u{e007f} \u3164\u115f\uffa0',
  '\ud800 \udc00 \uffff\u{1fffe} \ue000\uf8ff\u{f0000}',
  `a${'\u0301'.repeat(40)} \u0301 \u200d \u200c \ufe0f \u{e0100}`,
].flatMap((line) => line.split(' '))

const ordinary: readonly string[] = [
  ' ',
  ...'Anna Übergröße Łódź é Tiê\u0301ng =1+1 <b> " ;'.split(' '),
  ...'客户名单 ありがとう 고객 قائمة می\u200cخواهم שלום Привет'.split(' '),
  ...'👍 👍🏽 👩‍👩‍👧 ❤️ 🇩🇪 1️⃣ 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}'.split(' '),
]

/** A string of attacks, ordinary words and random characters. */
function hostileText(dice: Dice): string {
  let text = ''
  for (let left = dice.below(7); left > 0; left -= 1) {
    const choice = dice.random()
    if (choice < 0.4) text += dice.pick(attacks)
    else if (choice < 0.7) text += dice.pick(ordinary)
    else if (choice < 0.85) text += String.fromCharCode(dice.below(0x250))
    else text += String.fromCodePoint(0x20 + dice.below(0x2fff))
  }
  return text
}

/**
 * Code points that may command a terminal or hide something, but for line breaks, joiners,
 * variation selectors and letters of flags, which ordinary words need.
 */
function liveIn(text: string): string[] {
  const live =
    /(?![\n\u200c\u200d\p{Variation_Selector}\u{e0020}-\u{e007f}])[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
  return [...new Set(text.match(live))].map((char) => char.codePointAt(0)?.toString(16) ?? '')
}

const view = { columns: { ID: id('id'), TEXT: text('text'), END: text('end') } }
const rowsOf = (texts: readonly string[]) =>
  texts.map((each, n) => ({ id: `#${n}`, text: each, end: 'end' }))

/** A table whose last cells stand in one column. */
async function tableOf(texts: readonly string[], dice: Dice) {
  const { stdout } = await printed(rows(rowsOf(texts)), view, { width: 30 + dice.below(100) })
  const [heading = '', ...lines] = stdout.split('\n')
  const column = heading.indexOf('END')
  expect(column).toBeGreaterThan(0)
  const isInPlace = (line: string): boolean =>
    line.endsWith('  end') && terminalCells(line) === column + 'end'.length
  expect(texts.filter((_, n) => !isInPlace(lines[n] ?? ''))).toEqual([])
  return stdout
}

/** A document that is read back as it was. */
const documentOf = (format: 'json' | 'ndjson') => async (texts: readonly string[]) => {
  const { stdout } = await printed(rows(rowsOf(texts)), view, { format })
  const json = format === 'json' ? stdout : `[${stdout.trimEnd().replaceAll('\n', ',')}]`
  // UTF-8 has no unpaired surrogates: encoding replaces them, as JSON does.
  expect(JSON.parse(json)).toEqual(rowsOf(texts.map((each) => Buffer.from(each).toString())))
  return stdout
}

/** A conversation in which no text stands at the edge. */
function transcriptOf(texts: readonly string[]) {
  // Each string where a person may have written it.
  const places = ['subject', 'fromName', 'attachments', 'text']
  const messages = texts.map((each, n): ConversationMessage => ({
    sentAt: '2026-03-01T10:15:00.000Z',
    direction: n % 8 < 4 ? 'incoming' : 'outgoing',
    [places[n % 4] ?? '']: [each, each.slice(0, 3), [{ fileName: each }], each][n % 4],
  }))
  const shown = transcript({ id: '1', status: 'active' }, undefined, messages)
  const lines = shown.split('\n').slice(0, -1)
  const isOurs = /^(?:$| {4}|2026-03-01 10:15 {2}(?:customer$|outgoing))/
  expect(lines.slice(lines.indexOf('')).filter((line) => !isOurs.test(line))).toEqual([])
  return shown
}

const secret = 'a secret of "ours"'

function messagesOf(texts: readonly string[]) {
  const stderr = new Collector()
  const messages = new Messages(hostWith({ stderr }))
  messages.redactor.addSecret(secret)
  messages.verbose = true
  for (const each of texts) {
    messages.error(new SvcError('failed', `the service says: ${each}`, { hint: each }))
    messages.note(each)
    messages.log(each)
  }
  return stderr.text
}

/** What every question writes: columns, lines, clearing a line, the cursor. */
const ofQuestions = new RegExp(String.raw`\x1b\[(?:\d*[GK]|\d*[AB]|\?25[hl])`, 'g')

/** Names in a question, and one of them alone at its beginning. */
async function questionOf(texts: readonly string[]) {
  const { terminal, shown } = typing('')
  const message = `${texts[0] ?? ''} delete ${texts.map((each) => `"${each}"`).join(', ')}?`
  const host = { ...realHost, env: { TERM: 'xterm' }, terminal }
  const { signal } = new AbortController()
  const messages = new Messages(host)
  const signals = { cancelled: signal, listen: () => undefined }
  const asking = { host, options: {}, messages, signals }
  await expect(confirm(asking, { question: message })).rejects.toThrow('canceled')
  return shown().replaceAll(ofQuestions, '')
}

type Show = (texts: readonly string[], dice: Dice) => unknown
const outputs: Readonly<Record<string, Show>> = {
  tables: tableOf,
  json: documentOf('json'),
  ndjson: documentOf('ndjson'),
  transcripts: transcriptOf,
  'errors, notes and requests': messagesOf,
}

const shown = Object.entries<Show>({ ...outputs, questions: questionOf })
it.each(shown)('%s: nothing live', async (_, show) => {
  const dice = new Dice(20)
  for (let count = amount(40); count > 0; count -= 1) {
    const texts = Array.from({ length: 20 }, () => hostileText(dice))
    expect(liveIn(String(await show(texts, dice)))).toEqual([])
  }
})

/** What long strings repeat: signs, and parts of emoji whose width depends on others. */
const units = [
  'x|größe |\n|\r|\t|"|\\|;+1 |\n=1|\u0301|\u001b|\u009b|\u202e|\ud83d|: svc "',
  '\\"secret\\":\\\\"|authorization: ',
  `e${'\u0301'.repeat(29)}`,
  ' |\u2800|\u2801\u2800|客|\u0903|क\u094d|\u1100|\u1161|👩‍👩‍👧‍👦|👩\u200d|\u200d|\ufe0f|🇩🇪|🇩|\u{1f3f4}\u{e0067}\u{e0062}\u{e007f}|\u{e0067}|1\ufe0f\u20e3|\u0600',
].flatMap((line) => line.split('|'))

const measured: Readonly<Record<string, Show>> = {
  ...outputs,
  'tables off a terminal': (texts) => printed(rows(rowsOf(texts)), view),
  records: (texts) => printed(one(rowsOf(texts)[0]), view, { width: 80 }),
  csv: (texts) => printed(rows(rowsOf(texts)), view, { format: 'csv' }),
  xlsx: (texts) => printed(rows(rowsOf(texts)), view, { format: 'xlsx' }),
}
/** Takes up to 50 ms of processor time, and many seconds in an output that is quadratic. */
const length = 50_000

it.each(Object.entries(measured))('%s: no time that grows with the square', async (_, show) => {
  for (const unit of units) {
    const long = unit.repeat(Math.ceil(length / unit.length))
    const before = process.cpuUsage()
    await show([long], new Dice(20))
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1000, JSON.stringify(unit)).toBeLessThan(1_000)
  }
})
