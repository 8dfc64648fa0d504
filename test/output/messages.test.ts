/** Notes and errors: wrapping, secrets, commands to type. If red, a command in a message cannot be typed, or a secret is shown. */
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
    'where nobody reads it on a terminal, a long line is whole, and lines below the first are indented',
    {},
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
  [
    'on a terminal, messages wrap between words at its width, and indents are kept',
    { width: 40 },
    (messages) => {
      messages.note(`${long}\n${long}`)
      messages.error(new SvcError('usage', long, { lines: [long], hint: `${long}\n  ${long}` }))
    },
    `note: some of these contacts do not
  exist, and the service does not say
  which
  some of these contacts do not exist,
  and the service does not say which
error: some of these contacts do not
  exist, and the service does not say
  which
  some of these contacts do not exist,
  and the service does not say which
  some of these contacts do not exist,
  and the service does not say which
    some of these contacts do not exist,
    and the service does not say which
`,
  ],
  [
    'ids, paths, commands and commands to type are never broken',
    { width: 20 },
    (messages) => {
      messages.note(`see /a/path/that/is/longer/than/this or x`)
      messages.note(
        `640000000000000000000001 or, of another program:\n  svc lists list --limit all -o json\n  chmod go-rwx /home/somebody\n  sudo chown -R 0 /home/somebody`,
      )
      messages.note(`type:\n  svc lists members VIP --limit all`)
    },
    `note: see
  /a/path/that/is/longer/than/this
  or x
note:
  640000000000000000000001
  or, of another
  program:
  svc lists list --limit all -o json
  chmod go-rwx /home/somebody
  sudo chown -R 0 /home/somebody
note: type:
  svc lists members VIP --limit all
`,
  ],
  [
    'wide characters take two cells',
    { width: 20 },
    (messages) => messages.note('名前 名前 名前 名前 and 😀😀😀😀😀'),
    'note: 名前 名前 名前\n  名前 and\n  😀😀😀😀😀\n',
  ],
  [
    'a secret is hidden before a line is wrapped',
    { width: 20, secrets: ['pass phrase of mine', 'x'.repeat(30)] },
    (messages) => messages.note(`they say pass phrase of mine and ${'x'.repeat(30)}`),
    'note: they say\n  [hidden] and\n  [hidden]\n',
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
      "  svc lists get 64 -p 'far east'\n  svc profiles use x\n" +
      'error: no\n  see:\n    svc sandbox exec -- svc runs list\n    svc -p x doctor\n',
  )
})

test.each([
  ["svc lists list --search 'A -- B'", "svc lists list --search 'A -- B' -p prod"],
  ["svc lists get 'VIP -paused'", "svc lists get 'VIP -paused' -p prod"],
  ["svc lists get 'it'\\''s -p -- x'", "svc lists get 'it'\\''s -p -- x' -p prod"],
  ["svc lists get 'VIP' -pwork", "svc lists get 'VIP' -pwork"],
  ['svc contacts find -- -5', 'svc contacts find -p prod -- -5'],
])('%s: the profile stands where svc reads it', (command, typed) => {
  expect(open({ profile: 'prod' }).messages.withProfile(command)).toBe(typed)
})
