/** Notes and errors: secrets, commands to type. If red, a command in a message cannot be typed, or a secret is shown. */
import { expect, test } from 'vitest'
import { SvcError } from '../../src/errors.ts'
import { Messages } from '../../src/output/messages.ts'
import { Redactor } from '../../src/safe-text.ts'
import { Collector } from '../support/streams.ts'
import { hostWith } from '../support/real-host.ts'

interface Circumstances {
  secrets?: readonly string[]
  width?: number
  profile?: string
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

const failed = (message: string, hint?: string): SvcError =>
  new SvcError('usage', message, hint === undefined ? {} : { hint })

const long = 'some of these contacts do not exist, and the service does not say which'

test.each<[string, Circumstances, (messages: Messages) => void, string]>([
  [
    'no line is wrapped, and lines below the first are indented',
    { width: 20 },
    (messages) => {
      messages.note(`${long}\nmore`)
      messages.error(failed('no', 'svc lists list'))
    },
    `note: ${long}\n  more\nerror: no\n  svc lists list\n`,
  ],
  ['-v lines stay as they are', { width: 20 }, (messages) => messages.log(long), `${long}\n`],
  [
    'a secret is hidden in what may hold others’ words, never in what stands around them',
    { secrets: ['note: they', 'complete'] },
    (messages) => {
      messages.note('they say note: they and note: theyx')
      messages.error(failed('no complete answer', 'not complete'))
    },
    'note: they say [hidden] and [hidden]x\nerror: no [hidden] answer\n  not [hidden]\n',
  ],
])('%s', (_, circumstances, write, text) => {
  const { stderr, messages } = open(circumstances)
  write(messages)
  expect(stderr.text).toBe(text)
})

test('a command to type, which is a line of its own, gets the profile that was typed, unless it has one or takes none', () => {
  const { stderr, messages } = open({ profile: 'far east' })
  messages.note('no list is called "svc runs list"; see:\n  svc lists get 64\n  svc profiles use x')
  messages.error(failed('no', 'see:\n  svc sandbox exec -- svc runs list\n  svc -p x doctor'))
  expect(stderr.text).toBe(
    'note: no list is called "svc runs list"; see:\n' +
      '  svc lists get 64 -p "far east"\n  svc profiles use x\n' +
      'error: no\n  see:\n    svc sandbox exec -- svc runs list\n    svc -p x doctor\n',
  )
})
