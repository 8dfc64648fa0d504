/** svc asks for a missing argument on a terminal; everywhere else it is a mistake, as test/transcripts/help.txt shows of each. */
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

  test('type to search, arrow down, Enter', async () => {
    const { pty, shows, lastLines } = typed('svc lists get')
    await shows('Enter to choose')
    pty.write('camp 29')
    await shows('camp 29')
    await shows('> Campaign 298')
    pty.write('\u001b[B')
    await shows('> Campaign 297')
    pty.write('\r')
    const lines = await lastLines()
    expect(lines[0]).toBe('? Which list? Campaign 297')
    expect(lines.find((line) => line.startsWith('NAME'))).toMatch(/Campaign 297$/)
    expect(lines).toContain('code 0')
    expect(lines).toContain('isig icanon echo')
  })

  test('the words beside a name are not searched', async () => {
    const { pty, shows, lastLines } = typed('svc lists get')
    await shows('Enter to choose')
    pty.write('created')
    await shows('No results found')
    pty.write('\u0003')
    expect(await lastLines()).toContain('code 130')
  })

  test.each([
    ['y', 'code 0'],
    ['n', 'code 2'],
  ])('a list that was picked for a change is asked about once: %s', async (answer, code) => {
    const { pty, shows, lastLines } = typed('svc lists update --description picked')
    await shows('Enter to choose')
    pty.write('campaign 290')
    await shows('> Campaign 290')
    pty.write('\r')
    await shows('(y/N)')
    pty.write(`${answer}\r`)
    const lines = await lastLines()
    expect(lines.join(' ')).toMatch(
      /Change the description to "picked" of "Campaign 290" \(6400…0122\) on 127\.0\.0\.1:\d+ \(key …x_rw\)\?/,
    )
    expect(lines).toContain(code)
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
