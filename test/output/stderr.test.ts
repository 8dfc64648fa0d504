/** Notes and errors: wrapping, secrets, commands to type. If red, a command in a message cannot be typed, or a secret is shown. */
import { expect, test } from 'vitest'
import { SvcError } from '../../src/errors.ts'
import { Messages } from '../../src/output/stderr.ts'
import { Redactor } from '../../src/safe-text.ts'
import { Collector } from '../support/fake-host.ts'

/** `hidden`: secrets. */
function on({
  hidden = [],
  color = false,
  width,
  profile,
}: {
  hidden?: readonly string[]
  color?: boolean
  width?: number
  profile?: string
} = {}) {
  const stderr = new Collector()
  const redactor = new Redactor()
  for (const secret of hidden) redactor.addSecret(secret)
  const messages = new Messages({ stderr }, redactor, {
    color,
    width: () => width,
    profile,
  })
  messages.verbose = true
  return { stderr, messages }
}

const failed = (message: string, hint?: string): SvcError =>
  new SvcError('usage', message, hint === undefined ? {} : { hint })

const long = 'some of these contacts do not exist, and the service does not say which'

test.each<[string, Parameters<typeof on>[0], (messages: Messages) => void, string]>([
  [
    'where nobody reads it on a terminal, a long line is whole, and lines below the first are indented',
    {},
    (to) => {
      to.note(`${long}\nmore`)
      to.error(failed('no', 'svc lists list'))
    },
    `note: ${long}\n  more\nerror: no\n  svc lists list\n`,
  ],
  ['-v lines stay as they are', { width: 20 }, (to) => to.log(long), `${long}\n`],
  [
    'a secret is hidden in what may hold others’ words, never in what stands around them',
    { hidden: ['warning:', 'complete'] },
    (to) => {
      to.warn('they say warning: and warning:x')
      to.error(failed('no complete answer', 'not complete'))
    },
    'warning: they say [hidden] and [hidden]x\nerror: no [hidden] answer\n  not [hidden]\n',
  ],
  [
    'on a terminal, messages wrap between words at its width, and indents are kept',
    { width: 40 },
    (to) => {
      to.note(`${long}\n${long}`)
      to.error(new SvcError('usage', long, { lines: [long], hint: `${long}\n  ${long}` }))
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
    (to) => {
      to.note(`see /a/path/that/is/longer/than/this or x`)
      to.note(
        `640000000000000000000001 or, of another program:\n  svc lists list --limit all -o json\n  chmod go-rwx /home/somebody`,
      )
      to.note(`type:\n  svc lists members VIP --limit all`)
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
note: type:
  svc lists members VIP --limit all
`,
  ],
  [
    'wide characters take two cells',
    { width: 20 },
    (to) => to.note('名前 名前 名前 名前 and 😀😀😀😀😀'),
    'note: 名前 名前 名前\n  名前 and\n  😀😀😀😀😀\n',
  ],
  [
    'a secret is hidden before a line is wrapped',
    { width: 20, hidden: ['pass phrase of mine', 'x'.repeat(30)] },
    (to) => to.warn(`they say pass phrase of mine and ${'x'.repeat(30)}`),
    'warning: they say\n  [hidden] and\n  [hidden]\n',
  ],
])('%s', (_, how, write, text) => {
  const { stderr, messages } = on(how)
  write(messages)
  expect(stderr.text).toBe(text)
})

test('each command to type, which is a line of its own, gets the profile that was typed', () => {
  const { stderr, messages } = on({ profile: 'far east' })
  messages.note('no list is called "svc runs list"; see:\n  svc lists get 64\n  svc profiles use x')
  messages.error(failed('no', 'see:\n  svc sandbox exec -- svc runs list\n  svc -p x doctor'))
  expect(stderr.text).toBe(
    'note: no list is called "svc runs list"; see:\n' +
      "  svc lists get 64 -p 'far east'\n  svc profiles use x\n" +
      'error: no\n  see:\n    svc sandbox exec -- svc runs list\n    svc -p x doctor\n',
  )
})
