import { expect, test } from 'vitest'
import { SvcError, say, svc, type Message, type ShownCommand } from '../../src/errors.ts'
import { Messages } from '../../src/output/stderr.ts'
import { Redactor } from '../../src/safe-text.ts'
import { Collector } from '../svc.ts'

/** `hidden`: secrets. */
function on({
  hidden = [],
  color = false,
  commandText,
}: {
  hidden?: readonly string[]
  color?: boolean
  commandText?: (command: ShownCommand) => string
} = {}) {
  const stderr = new Collector()
  const redactor = new Redactor()
  for (const secret of hidden) redactor.addSecret(secret)
  const messages = new Messages({ stderr }, redactor, {
    color,
    ...(commandText === undefined ? {} : { commandText }),
  })
  messages.verbose = true
  return { stderr, messages }
}

const failed = (message: string, hint?: Message): SvcError =>
  new SvcError('usage', message, hint === undefined ? {} : { hint })

const long = 'some of these contacts do not exist, and the service does not say which'

test.each<[string, Parameters<typeof on>[0], (messages: Messages) => void, string]>([
  [
    'a long line is left to the terminal, and lines below the first are indented',
    {},
    (to) => {
      to.note(`${long}\nmore`)
      to.error(failed('no', [svc`lists list`]))
    },
    `note: ${long}\n  more\nerror: no\n  svc lists list\n`,
  ],
  ['-v lines stay as they are', {}, (to) => to.log(long), `${long}\n`],
  [
    'a secret is hidden in what may hold others’ words, never in what stands around them',
    { hidden: ['warning:', 'complete'] },
    (to) => {
      to.warn('they say warning: and warning:x')
      to.error(failed('no complete answer', 'not complete'))
    },
    'warning: they say [hidden] and [hidden]x\nerror: no [hidden] answer\n  not [hidden]\n',
  ],
])('%s', (_, how, write, text) => {
  const { stderr, messages } = on(how)
  write(messages)
  expect(stderr.text).toBe(text)
})

test('a command in a message is written as it can be typed, and a text is never rewritten', () => {
  const { stderr, messages } = on({
    commandText: ({ text }) => `npx svc ${text} -p east`,
  })
  messages.note(say`no list is called "svc runs list"; see ${svc`lists get ${'a b'}`} for it`)
  messages.error(failed('no', say`see: svc lists --help\n  ${svc`runs list`}`))
  expect(stderr.text).toBe(
    'note: no list is called "svc runs list"; see npx svc lists get \'a b\' -p east for it\n' +
      'error: no\n  see: svc lists --help\n    npx svc runs list -p east\n',
  )
})
