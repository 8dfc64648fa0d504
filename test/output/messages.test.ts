import { describe, expect, test } from 'vitest'
import { SvcError, type Hint } from '../../src/errors.ts'
import { Messages } from '../../src/output/messages.ts'
import { Collector } from '../support/streams.ts'
import { hostWith } from '../support/real-host.ts'

function open(secrets: readonly string[] = [], profile?: string) {
  const stderr = new Collector()
  const isTerminal = { stdin: false, stdout: false, stderr: true }
  const host = hostWith({ stderr, env: { NO_COLOR: '1' }, isTerminal, columns: () => 20 })
  const messages = new Messages(host)
  for (const secret of secrets) messages.redactor.addSecret(secret)
  messages.profile = profile
  messages.verbose = true
  return { stderr, messages }
}

const failed = (message: string, hint: Hint, lines: string[] = []): SvcError =>
  new SvcError('usage', message, { hint, lines, httpStatus: 404, code: 40401 })

const long = 'some of these contacts do not exist, and the service does not say which'

test('no line is wrapped, and what stands below an error is indented', () => {
  const { stderr, messages } = open()
  messages.note(long)
  messages.error(failed('no', 'first\nthen', ['one\u{a}line']))
  messages.log(long)
  expect(stderr.text).toBe(`note: ${long}
error: no (HTTP 404, code 40401)
  one\\u{a}line
  first
  then
${long}
`)
})

test('a secret is hidden in what may hold others’ words, never in what stands around them', () => {
  const { stderr, messages } = open(['note: they', 'complete'])
  messages.note('they say note: they and note: theyx')
  messages.error(failed('no complete answer', 'not complete'))
  expect(stderr.text).toBe(`note: they say [hidden] and [hidden]x
error: no [hidden] answer (HTTP 404, code 40401)
  not [hidden]
`)
})

test.each<[profile: string | undefined, suffix: string]>([
  [undefined, ''],
  ['prod', ' -p prod'],
  ['far east', ' -p "far east"'],
])('with the profile %j, a command to type ends in %j', (profile, suffix) => {
  const { stderr, messages } = open([], profile)
  const list = 'lists get "a -p b"'
  messages.note('a text is no command:\n  svc runs list')
  messages.note([{ say: 'to see\nthe list', type: list }])
  const steps = [
    { say: 'to see it', type: [list, 'runs list'] },
    { say: 'or then', type: 'doctor' },
    { say: 'of a run', type: 'runs show x', profile: 'own' },
    { say: 'of another', type: 'runs show y', profile: null },
  ]
  messages.error(failed('no', steps))
  expect(stderr.text).toBe(`note: a text is no command:
  svc runs list
note: to see
the list:
  svc ${list}${suffix}
error: no (HTTP 404, code 40401)
  to see it:
    svc ${list}${suffix}
    svc runs list${suffix}
  or then:
    svc doctor${suffix}
  of a run:
    svc runs show x${suffix && ' -p own'}
  of another:
    svc runs show y
`)
})

test('of many commands, twenty are shown', () => {
  const lines = Array.from({ length: 23 }, (_, n) => `lists get ${n}`)
  const { messages } = open()
  const shown = messages.linesOf([{ say: 'look', type: lines }])
  expect(shown.slice(-2)).toEqual(['  svc lists get 19', '  and 3 more'])
})

describe('with errors as JSON, an output has at most one error', () => {
  const fails = (exitCode: number, message: string): SvcError =>
    new SvcError('failed', message, { exitCode })
  const seven = fails(7, 'seven')
  /** An exit code, the errors of an output, and the object that is written. */
  test.each<[exitCode: number, errors: SvcError[], written: string | undefined]>([
    [7, [fails(1, 'one'), seven, fails(7, 'again')], '7 unfinished again'],
    [7, [fails(1, 'one'), fails(4, 'four')], '7 unfinished four'],
    [1, [fails(1, 'one'), seven], '1 failed one'],
    [4, [fails(4, 'four')], '4 denied four'],
    [7, [], undefined],
    // These are no errors of the command.
    [0, [seven], undefined],
    [3, [seven], undefined],
    [129, [seven], undefined],
    [130, [seven], undefined],
    [143, [fails(143, 'ended')], '143 interrupted ended'],
  ])('of exit code %i and %j: %s', (exitCode, errors, written) => {
    const { stderr, messages } = open()
    messages.errorFormat = 'json'
    messages.notesOn(exitCode, ['a note', ...errors])
    const lines = stderr.text.trimEnd().split('\n')
    const objects = lines.filter((line) => !line.startsWith('note: '))
    const told = objects.map((line) => {
      type Written = Record<'exitCode' | 'category' | 'message', string>
      const { exitCode: code, category, message } = (JSON.parse(line) as { error: Written }).error
      return `${code} ${category} ${message}`
    })
    expect(told).toEqual(written === undefined ? [] : [written])
    expect(lines).toHaveLength(errors.length + 1)
  })

  test('has no secret, and no sign that controls a terminal', () => {
    const { stderr, messages } = open(['hidden "word"'], 'far east')
    messages.errorFormat = 'json'
    const steps = [{ say: 'see', type: ['doctor', 'runs list'] }, { say: 'or not' }]
    messages.error(failed('a hidden "word" \u001b[31m', steps, ['hidden "word"']))
    for (const sign of ['hidden "', 'hidden \\"', '\u001b']) expect(stderr.text).not.toContain(sign)
    expect(JSON.parse(stderr.text)).toEqual({
      error: {
        category: 'usage',
        exitCode: 2,
        message: 'a [hidden] \u001b[31m',
        lines: ['[hidden]'],
        hints: [
          { say: 'see', type: ['svc doctor -p "far east"', 'svc runs list -p "far east"'] },
          { say: 'or not', type: [] },
        ],
        httpStatus: 404,
        code: 40401,
      },
    })
  })
})
