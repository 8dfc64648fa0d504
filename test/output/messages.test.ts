/**
 * Notes and errors: secrets, commands to type. If red, a command in a message cannot be typed, or a
 * secret is shown.
 */
import { expect, test } from 'vitest'
import { SvcError, type Hint } from '../../src/errors.ts'
import { Messages } from '../../src/output/messages.ts'
import { Redactor } from '../../src/safe-text.ts'
import { Collector } from '../support/streams.ts'
import { hostWith } from '../support/real-host.ts'

interface Circumstances {
  secrets?: readonly string[]
  width?: number
  profile?: string | undefined
}

function open({ secrets = [], width, profile }: Circumstances = {}) {
  const stderr = new Collector()
  const redactor = new Redactor()
  for (const secret of secrets) redactor.addSecret(secret)
  const host = hostWith({
    stderr,
    env: { NO_COLOR: '1' },
    isTerminal: { stdin: false, stdout: false, stderr: width !== undefined },
    columns: () => width,
  })
  const messages = new Messages(host, redactor)
  messages.profile = profile
  messages.verbose = true
  return { stderr, messages }
}

const failed = (message: string, hint: Hint, lines: string[] = []): SvcError =>
  new SvcError('usage', message, { hint, lines, httpStatus: 404, code: 40401 })

const long = 'some of these contacts do not exist, and the service does not say which'

test.each<[string, Circumstances, (messages: Messages) => void, string]>([
  [
    'no line is wrapped, and what stands below an error is indented',
    { width: 20 },
    (messages) => {
      messages.note(long)
      messages.error(failed('no', 'first\nthen', ['one\u{a}line']))
    },
    `note: ${long}\nerror: no (HTTP 404, code 40401)\n  one\\u{a}line\n  first\n  then\n`,
  ],
  ['-v lines stay as they are', { width: 20 }, (messages) => messages.log(long), `${long}\n`],
  [
    'a secret is hidden in what may hold others’ words, never in what stands around them',
    { secrets: ['note: they', 'complete'] },
    (messages) => {
      messages.note('they say note: they and note: theyx')
      messages.error(failed('no complete answer', 'not complete'))
    },
    'note: they say [hidden] and [hidden]x\n' +
      'error: no [hidden] answer (HTTP 404, code 40401)\n  not [hidden]\n',
  ],
])('%s', (_, circumstances, write, text) => {
  const { stderr, messages } = open(circumstances)
  write(messages)
  expect(stderr.text).toBe(text)
})

test.each<[profile: string | undefined, suffix: string]>([
  [undefined, ''],
  ['prod', ' -p prod'],
  ['far east', ' -p "far east"'],
])('with the profile %j, a command to type ends in %j', (profile, suffix) => {
  const { stderr, messages } = open({ profile })
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
  expect(messages.linesOf([{ say: 'look', type: lines }]).slice(-2)).toEqual([
    '  svc lists get 19',
    '  and 3 more',
  ])
})
