import { describe, expect, test } from 'vitest'
import { SvcError } from '../../src/errors.ts'
import { Messages, type MessageFormat } from '../../src/output/stderr.ts'
import { Redactor } from '../../src/output/text/redact.ts'
import { Collector } from '../svc.ts'

function on(terminal: boolean, { color = false, format = 'text' }: { color?: boolean; format?: MessageFormat } = {}) {
  const stderr = new Collector()
  const isTerminal = { stdin: false, stdout: false, stderr: terminal }
  const host = { stderr, isTerminal, columns: () => 41, now: () => 0 }
  return { stderr, messages: new Messages(host, new Redactor(), format, { color }) }
}

test.each(['text', 'json'] as const)(
  'of an error of a megabyte (%s) a part is shown, and no half of a secret',
  (format) => {
    const stderr = new Collector()
    const redactor = new Redactor()
    redactor.hide('0123456789abcdef')
    const isTerminal = { stdin: false, stdout: false, stderr: false }
    const messages = new Messages({ stderr, isTerminal, columns: () => 80, now: () => 0 }, redactor, format)
    for (let before = 16_360; before < 16_390; before += 1) {
      const message = `${'x'.repeat(before)}0123456789abcdef "password": "hunter22${'y'.repeat(1_000_000)}`
      messages.error(new SvcError('rejected', message, { hint: message }), undefined)
    }
    expect(stderr.text.length).toBeLessThan(30 * 34_000)
    expect(stderr.text).not.toMatch(/0123|hunt/)
  },
)

const long = 'some of these contacts do not exist, and the service does not say which'

describe('on a terminal', () => {
  test('a message wraps at words, and what goes on is indented', () => {
    const { stderr, messages } = on(true)
    messages.note(long)
    expect(stderr.text).toBe('note: some of these contacts do not\n  exist, and the service does not say\n  which\n')
  })

  test('a command that does not fit stands whole on a line of its own', () => {
    const { stderr, messages } = on(true)
    messages.note('go on with: svc runs resume 20260301T101500Z-7f3a')
    messages.error(new SvcError('usage', 'no', { hint: 'svc lists add-contacts VIP - --isolate --yes' }), undefined)
    expect(stderr.text).toBe(
      'note: go on with:\n  svc runs resume 20260301T101500Z-7f3a\n' +
        'error: no\n  svc lists add-contacts VIP - --isolate --yes\n',
    )
  })

  test('a sentence that begins with a command or an option wraps at words', () => {
    const { stderr, messages } = on(true)
    const hint =
      'svc contacts has: merge, delete; the service allows nothing else\n--no-input: nothing was asked; --yes answers yes'
    messages.error(new SvcError('usage', 'no', { hint }), undefined)
    expect(stderr.text).toBe(
      'error: no\n  svc contacts has: merge, delete; the\n    service allows nothing else\n' +
        '  --no-input: nothing was asked; --yes\n    answers yes\n',
    )
    const other = on(true)
    other.messages.note('svc in this shell uses a sandbox at http://127.0.0.1:4010; type exit to stop both')
    expect(other.stderr.text).toBe(
      'note: svc in this shell uses a sandbox\n  at http://127.0.0.1:4010; type exit to\n  stop both\n',
    )
  })

  test('what looks like a command among others\u2019 words gets no line of its own', () => {
    const { stderr, messages } = on(true)
    messages.error(new SvcError('rejected', 'the service says so: svc contacts delete --file all.txt --yes'), undefined)
    messages.warn('batch 1: error: no: svc contacts delete --yes')
    messages.note('it could not be read (no: svc contacts delete --yes)')
    expect(stderr.text.split('\n').filter((line) => line.trim().startsWith('svc '))).toEqual([])
  })

  test('only the word that begins an error or a warning has a colour', () => {
    const { stderr, messages } = on(true, { color: true })
    messages.error(new SvcError('usage', 'error: x'), undefined)
    messages.warn('y')
    messages.note('z')
    expect(stderr.text).toBe('\u001b[1;31merror:\u001b[0m error: x\n\u001b[33mwarning:\u001b[0m y\nnote: z\n')
  })

  test('JSON and -v lines stay as they are', () => {
    const json = on(true, { format: 'json', color: true })
    json.messages.note(long)
    expect(json.stderr.text).toBe(
      `{"type":"note","time":"1970-01-01T00:00:00.000Z","level":"info","message":"${long}"}\n`,
    )
    const { stderr, messages } = on(true)
    messages.verbose = 1
    messages.log(1, long)
    expect(stderr.text).toBe(`${long}\n`)
  })
})

test('off a terminal nothing is wrapped and nothing coloured', () => {
  const { stderr, messages } = on(false, { color: true })
  messages.note(long)
  messages.warn('y')
  expect(stderr.text).toBe(`note: ${long}\nwarning: y\n`)
})

describe('a secret', () => {
  const secret = 'warning:'
  const hiding = (format: MessageFormat) => {
    const redactor = new Redactor()
    redactor.hide(secret)
    redactor.hide('complete')
    const stderr = new Collector()
    const isTerminal = { stdin: false, stdout: false, stderr: false }
    return { stderr, messages: new Messages({ stderr, isTerminal, columns: () => 80, now: () => 0 }, redactor, format) }
  }

  test('is hidden in what may hold others\u2019 words, never in what stands around them', () => {
    const { stderr, messages } = hiding('text')
    messages.warn(`they say warning: and ${secret}x`)
    messages.error(new SvcError('rejected', 'no complete answer', { hint: 'not complete' }), undefined)
    expect(stderr.text).toBe('warning: they say [hidden] and [hidden]x\nerror: no [hidden] answer\n  not [hidden]\n')
  })

  test('in JSON: never in keys, nor in values that are words of ours', () => {
    const { stderr, messages } = hiding('json')
    messages.warn('not complete')
    messages.summary({
      schema: 'svc.bulk/1',
      status: 'complete',
      complete: ['complete', { message: 'complete' }],
      errors: [{ outcome: 'complete', message: 'a complete loss', attempts: 4 }],
      password: 'anything',
      name: null,
    })
    expect(
      stderr.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      { type: 'note', time: '1970-01-01T00:00:00.000Z', level: 'warning', message: 'not [hidden]' },
      {
        type: 'summary',
        time: '1970-01-01T00:00:00.000Z',
        level: 'info',
        schema: 'svc.bulk/1',
        status: 'complete',
        complete: ['[hidden]', { message: '[hidden]' }],
        errors: [{ outcome: 'complete', message: 'a [hidden] loss', attempts: 4 }],
        password: '[hidden]',
        name: null,
      },
    ])
  })
})
