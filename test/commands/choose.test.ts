/** Questions on a real terminal, which is as it was afterwards. What is a mistake elsewhere is in test/transcripts/help.txt. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { onTerminal } from '../runs/spawned.ts'
import { show } from '../output/screen.ts'
import { createSandboxWorld, typing, type Options } from '../svc.ts'

const { svc, sandbox, env, folder } = await createSandboxWorld()
const { assignableTickets } = sandbox.examples
const [ticket = ''] = assignableTickets
const key = sandbox.keys[0]
const profile = { baseUrl: sandbox.baseUrl, apiKey: key?.apiKey, apiSecret: key?.apiSecret }
const config = join(folder, 'config.json')
const content = { current: 'a', profiles: { a: profile, guarded: { ...profile, protected: true } } }
writeFileSync(config, JSON.stringify(content), { mode: 0o600 })
const handover = join(folder, 'handover.csv')
writeFileSync(handover, `Ticket,subject\n${assignableTickets.slice(1, 4).join(',hello\n')},hello\n`)
/** Standard output may go anywhere. */
const watched = { stdin: true, stdout: false, stderr: true }

const { terminal, shown } = typing('1')
test.each<[string, Options]>([
  ['', { terminal }],
  ['', { terminal, isTerminal: { ...watched, stdin: false } }],
  ['', { terminal, isTerminal: { ...watched, stderr: false } }],
  [' --no-input', { terminal, isTerminal: watched }],
  [' --json', { terminal, isTerminal: watched }],
  ['', { isTerminal: watched }],
])(
  'without a terminal, with --no-input, and in another format it is a mistake:%s',
  async (more, options) => {
    const line = `lists get${more}`
    const { code, stdout, stderr } = await svc(line, options)
    expect([code, stdout, shown()]).toEqual([2, '', ''])
    expect(stderr).toMatch(
      /^error: missing required argument "list"\n {2}see: svc lists get --help/,
    )
  },
)

describe('on a real terminal', () => {
  const settings = `stty -a | tr ' ;' '\\n\\n' | grep -xE -- '-?(icanon|echo|isig)' | tr '\\n' ' '`

  /** A line, its exit code, and how the terminal is then; what was shown at its end. */
  function typed(line: string, environment = env) {
    const script = `${line}; echo "code $?"; ${settings}; echo; echo END; read -r _`
    const { pty, shows, text, exited } = onTerminal(script, environment, folder)
    async function lastLines(): Promise<string[]> {
      // A terminal that is closed at once would lose the last words.
      await shows('END')
      pty.write('\n')
      await exited
      return (await show(text(), { columns: 100, rows: 40 })).lines.map((each) => each.trim())
    }
    return { pty, shows, text, lastLines }
  }

  const [contact = '', second = ''] = sandbox.examples.contactsWithoutChats
  const removal = `svc contacts delete ${contact}`
  const sane = 'isig icanon echo'
  /** Ctrl-U takes the wrong answer away. */
  const maybe: [string, string][] = [
    ['(y/N)', 'maybe\r'],
    ['You must answer', '\u0015y\r'],
  ]

  /** A line, what is typed at which words, and what is said in the end. */
  test.each<[string, string, [string, string][], string[]]>([
    ['no', removal, [['(y/N)', 'NO\r']], ['code 2', 'declined; nothing was sent']],
    ['no, by Enter', removal, [['(y/N)', '\r']], ['code 2', 'declined; nothing was sent']],
    ['Ctrl-C', removal, [['(y/N)', '\u0003']], ['code 130', 'interrupted; nothing was sent']],
    ['Ctrl-D', removal, [['(y/N)', '\u0004']], ['code 2', 'input ended']],
    ['a dumb terminal', `TERM=dumb ${removal}`, [], ['code 2', 'confirmation needed']],
    ['neither, and yes', removal, maybe, ['code 0', 'Delete contact']],
    ['a wrong count', `${removal} ${second}`, [['Type 2:', '3\r']], ['code 2', 'you typed "3"']],
    ['a count', `${removal} ${second}`, [['Type 2:', '2\r']], ['code 3', 'not-found']],
    ['a choice, Ctrl-C', 'svc lists get', [['Enter to choose', '\u0003']], ['code 130']],
    ['a choice, Ctrl-D', 'svc lists get', [['Enter to choose', '\u0004']], ['code 2']],
    [
      'a choice of names that attack, of which the words beside them are not searched',
      'svc lists get',
      [
        ['Enter to choose', 'created'],
        ['No results found', '\u0015owned'],
        ['> \\u{1b}]0;owned', '\r'],
      ],
      ['code 0', 'two\\u{a}lines'],
    ],
    [
      'type to search, arrow down, Enter',
      'svc lists get',
      [
        ['Enter to choose', 'camp 29'],
        ['> Campaign 298', '\u001b[B'],
        ['> Campaign 297', '\r'],
      ],
      ['code 0', '? Which list? Campaign 297'],
    ],
    ...(['y', 'n'] as const).map((answer): [string, string, [string, string][], string[]] => [
      `a list that was picked for a change is asked about once: ${answer}`,
      'svc lists update --description picked',
      [
        ['Enter to choose', 'campaign 290'],
        ['> Campaign 290', '\r'],
        ['(y/N)', `${answer}\r`],
      ],
      [
        answer === 'y' ? 'code 0' : 'code 2',
        'Change the description to "picked" of "Campaign 290" (6400…0122)',
      ],
    ]),
  ])('%s, and the terminal is as it was', async (_, line, answers, said) => {
    const { pty, shows, text, lastLines } = typed(line)
    for (const [words, keys] of answers) {
      await shows(words)
      // Keys that were struck before the question are thrown away by the prompt.
      await new Promise((resolve) => setTimeout(resolve, 60))
      pty.write(keys)
    }
    const lines = await lastLines()
    for (const words of [...said, sane]) expect(lines.join('\n')).toContain(words)
    expect(text()).not.toContain('\u001b]0;owned')
  })

  const configured = { SVC_CONFIG: config, PATH: env['PATH'], HOME: folder }

  test.each<[string, Readonly<Record<string, string | undefined>>, string, RegExp]>([
    [`tickets assign ${ticket}`, env, '> Robin Berg', /^AFTER +Robin Berg/],
    [`tickets assign --file ${handover}`, env, '> Robin Berg', /^done +3 /],
    ['profiles use', configured, '> guarded', /^CURRENT +guarded/],
  ])('svc %s asks for what is left out', async (line, environment, words, wanted) => {
    const { pty, shows, lastLines } = typed(`svc ${line}`, environment)
    await shows('Enter to choose')
    pty.write(words.replace('> ', ''))
    await shows(words)
    pty.write('\r')
    if (line.startsWith('tickets')) {
      await shows('(y/N)')
      await shows('to "Robin Berg" (')
      pty.write('y\r')
    }
    const lines = await lastLines()
    expect(lines).toEqual(expect.arrayContaining([expect.stringMatching(wanted), 'code 0']))
  })
})
