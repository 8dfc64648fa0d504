/** Notes and errors: secrets, commands to type. */
import { expect, test } from 'vitest'
import { SvcError, type Hint } from '../../src/errors.ts'
import { Messages } from '../../src/output/messages.ts'
import { Redactor } from '../../src/safe-text.ts'
import { Collector } from '../support/streams.ts'
import { hostWith } from '../support/real-host.ts'

function open(secrets: readonly string[] = [], profile?: string) {
  const stderr = new Collector()
  const redactor = new Redactor()
  for (const secret of secrets) redactor.addSecret(secret)
  const isTerminal = { stdin: false, stdout: false, stderr: true }
  const host = hostWith({ stderr, env: { NO_COLOR: '1' }, isTerminal, columns: () => 20 })
  const messages = new Messages(host, redactor)
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
`)
})

test('of many commands, twenty are shown', () => {
  const lines = Array.from({ length: 23 }, (_, n) => `lists get ${n}`)
  const { messages } = open()
  const shown = messages.linesOf([{ say: 'look', type: lines }])
  expect(shown.slice(-2)).toEqual(['  svc lists get 19', '  and 3 more'])
})
