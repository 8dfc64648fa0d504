import { expect, test } from 'vitest'
import { SvcError } from '../../src/errors.ts'
import { say, svc, type Message, type ShownCommand } from '../../src/message.ts'
import { Messages } from '../../src/output/stderr.ts'
import { Redactor } from '../../src/redactor.ts'
import { Collector } from '../svc.ts'

/** Messages on a terminal, unless told otherwise; `hidden`: secrets. */
function on({
  isTerminal: stderrIs = true,
  hidden = [],
  color = false,
  write,
  columns,
}: {
  isTerminal?: boolean
  hidden?: readonly string[]
  color?: boolean
  write?: (command: ShownCommand) => string
  columns?: number
} = {}) {
  const stderr = new Collector()
  const redactor = new Redactor()
  for (const secret of hidden) redactor.addSecret(secret)
  const isTerminal = { stdin: false, stdout: false, stderr: stderrIs }
  const messages = new Messages({ stderr, isTerminal, columns: () => columns }, redactor, {
    color,
    ...(write === undefined ? {} : { write }),
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
    { isTerminal: false, hidden: ['warning:', 'complete'] },
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
    isTerminal: false,
    write: ({ text }) => `npx svc ${text} -p east`,
  })
  messages.note(say`no list is called "svc runs list"; see ${svc`lists get ${'a b'}`} for it`)
  messages.error(failed('no', say`see: svc lists --help\n  ${svc`runs list`}`))
  expect(stderr.text).toBe(
    'note: no list is called "svc runs list"; see npx svc lists get \'a b\' -p east for it\n' +
      'error: no\n  see: svc lists --help\n    npx svc runs list -p east\n',
  )
})

test('a command within words of others gets no line of its own', () => {
  const { stderr, messages } = on()
  messages.error(
    new SvcError('rejected', 'the service says so: svc contacts delete --file all.txt --yes'),
  )
  messages.warn('batch 1: error: no: svc contacts delete --yes')
  messages.note('it could not be read (no: svc contacts delete --yes)')
  expect(stderr.text.split('\n').filter((line) => line.trim().startsWith('svc '))).toEqual([])
})

test('notes, errors and hints wrap at words, but commands, options with values and ids stay whole', () => {
  const id = '6400057ed5aad2927b000026'
  const message = say`the contact ${id} is on several lists and nobody can say which:\n  ${svc`contacts get ${id} --in VIP --fields id,name`}\nor use --column 'Kunde Nr.' with it`
  const error = new SvcError('usage', `a long sentence about ${id} and more`, {
    hint: message,
    lines: ['"ids.txt" line 3: "x": contains "x" at character 1'],
  })
  const wide = on({ columns: 200 })
  wide.messages.note(message)
  wide.messages.error(error)
  const narrow = on({ columns: 40 })
  narrow.messages.note(message)
  narrow.messages.error(error)
  expect(narrow.stderr.text).toBe(`note: the contact
  6400057ed5aad2927b000026 is on several
  lists and nobody can say which:
  svc contacts get 6400057ed5aad2927b000026 --in VIP --fields id,name
  or use --column 'Kunde Nr.' with it
error: a long sentence about
  6400057ed5aad2927b000026 and more
  "ids.txt" line 3: "x": contains "x" at
    character 1
  the contact 6400057ed5aad2927b000026
    is on several lists and nobody can
    say which:
    svc contacts get 6400057ed5aad2927b000026 --in VIP --fields id,name
  or use --column 'Kunde Nr.' with it
`)
  // What is wrapped is the same text.
  const flat = (text: string): string => text.replace(/\s+/g, ' ')
  expect(flat(narrow.stderr.text)).toBe(flat(wide.stderr.text))
  const piped = on({ columns: 40, isTerminal: false })
  piped.messages.note(message)
  piped.messages.error(error)
  expect(piped.stderr.text).toBe(wide.stderr.text)
})
