/** svc asks for a missing argument on a terminal; everywhere else it is a mistake. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { onTerminal } from '../runs/spawned.ts'
import { show } from '../output/screen.ts'
import { createSandboxWorld, typing, type Options } from '../svc.ts'

const { svc, sandbox, env, folder } = await createSandboxWorld()
const { assignableTickets, contactsWithoutChats, employee } = sandbox.examples
const [ticket = ''] = assignableTickets
const [contact = ''] = contactsWithoutChats
const key = sandbox.keys[0]
const profile = { baseUrl: sandbox.baseUrl, apiKey: key?.apiKey, apiSecret: key?.apiSecret }
const config = join(folder, 'config.json')
const content = { current: 'a', profiles: { a: profile, guarded: { ...profile, protected: true } } }
writeFileSync(config, JSON.stringify(content), { mode: 0o600 })
writeFileSync(join(folder, 'ids.txt'), `${contact}\n`)
const handover = join(folder, 'handover.csv')
writeFileSync(handover, `Ticket,subject\n${assignableTickets.slice(1, 4).join(',hello\n')},hello\n`)
// There is one to choose wherever a run is asked for.
sandbox.setFaults('lists.add-contacts=500')
await svc(`lists add-contacts VIP ${contact} --once early --retries 0`)
sandbox.setFaults()
/** Standard output may go anywhere. */
const watched = { stdin: true, stdout: false, stderr: true }

const cases: [line: string, mistake: RegExp][] = [
  ['lists get', /^error: missing required argument "list"\n {2}see: svc lists get --help/],
  [
    `lists add-contacts --file ${join(folder, 'ids.txt')}`,
    /^error: missing required argument "list"\n/,
  ],
  // svc does not ask for a list when there are no ids.
  ['lists add-contacts', /^error: no ids were given\n/],
  [
    'lists add-contacts --file missing.txt',
    /^error: "missing\.txt" cannot be read: there is no such file or folder/,
  ],
  [
    `tickets assign ${ticket}`,
    /^error: --to is missing\n {2}type:\n {4}svc tickets assign <ticket> --to <employee>/,
  ],
  [
    `tickets assign --file ${handover}`,
    /^error: .* has tickets but no column "employee"\n {2}name one new assignee .* with --to, /,
  ],
  ['profiles use', /^error: missing required argument "profile"\n/],
  ['runs show', /^error: the argument <run> is missing\n {2}give its id, /],
]

test.each(cases)(
  'svc %s: a usage error without a terminal, with --no-input, and in another format',
  async (line, mistake) => {
    const before = sandbox.requests.length
    const { terminal, shown } = typing('1')
    const others: [more: string, options: Options][] = [
      ['', { terminal }],
      ['', { terminal, isTerminal: { ...watched, stdin: false } }],
      ['', { terminal, isTerminal: { ...watched, stderr: false } }],
      [' --no-input', { terminal, isTerminal: watched }],
      [' --json --error-format text', { terminal, isTerminal: watched }],
      ['', { isTerminal: watched }],
      // A screen reader cannot follow a list that is drawn again.
      ['', { terminal, isTerminal: watched, env: { ACCESSIBLE: '1' } }],
    ]
    for (const [more, options] of others) {
      const { code, stdout, stderr } = await svc(
        `${line}${more} --color never --progress none`,
        options,
      )
      expect([more, code, stdout]).toEqual([more, 2, ''])
      expect(stderr).toMatch(mistake)
    }
    expect(shown()).toBe('')
    // Only where a terminal is missing after all, what there is to choose from was read before.
    const writes = sandbox.requests.slice(before).filter(({ method }) => method !== 'GET')
    expect(writes).toEqual([])
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

  test('a ticket cannot be given to somebody who is not active', async () => {
    const { pty, shows, lastLines } = typed(`svc tickets assign ${ticket}`)
    await shows('Enter to choose')
    pty.write('ingrid')
    await shows('No results found')
    pty.write('\u0003')
    expect(await lastLines()).toContain('code 130')
  })

  const configured = { SVC_CONFIG: config, PATH: env['PATH'], HOME: folder }

  test.each<[string, Readonly<Record<string, string | undefined>>, string, RegExp]>([
    [`tickets assign ${ticket}`, env, employee, /^AFTER +Robin Berg/],
    [`tickets assign --file ${handover}`, env, employee, /^done +3$/],
    ['profiles use', configured, '> guarded', /^CURRENT +guarded/],
  ])('svc %s asks for what is left out', async (line, environment, words, wanted) => {
    const { pty, shows, lastLines } = typed(`svc ${line}`, environment)
    await shows('Enter to choose')
    pty.write(words.replace('> ', ''))
    await shows(words)
    pty.write('\r')
    const lines = await lastLines()
    expect(lines).toEqual(expect.arrayContaining([expect.stringMatching(wanted), 'code 0']))
  })
})
