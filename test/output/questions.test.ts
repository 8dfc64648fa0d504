/** Questions on a real terminal, which is as it was afterwards. */
import { readFileSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { spawn as spawnPty } from '@lydell/node-pty'
import { expect, test } from 'vitest'
import { bin, onTerminal } from '../support/spawned.ts'
import { createSandboxWorld } from '../support/svc.ts'
import { show } from '../support/screen.ts'

const { sandbox, env, folder } = await createSandboxWorld()

const settings = `stty -a | tr ' ;' '\\n\\n' | grep -xE -- '-?(icanon|echo|isig)' | tr '\\n' ' '`

function typed(line: string) {
  const script = `${line}; echo "code $?"; ${settings}; echo; echo END; read -r _`
  const { pty, shows, text, exited } = onTerminal(script, env, folder)
  async function lastLines(): Promise<string[]> {
    // A terminal that is closed at once would lose the last words.
    await shows('END')
    pty.write('\n')
    await exited
    return (await show(text(), { columns: 100, rows: 40 })).lines.map((each) => each.trim())
  }
  return { pty, shows, text, exited, lastLines }
}

const [contact = ''] = sandbox.examples.contactsWithoutChats
const two = sandbox.examples.contactsWithoutChats.slice(1, 3)
const removal = `svc contacts delete ${contact}`
const sane = 'isig icanon echo'
const canceled = ['code 2', 'error: canceled; nothing was sent']
const suspended = `set -m; ${removal}; echo away; fg`

test('a secret is not shown, also after Ctrl-T', async () => {
  const line = `svc profiles add own --url ${sandbox.baseUrl} --key pk_12345678`
  const { pty, shows, text, lastLines } = typed(line)
  await shows('API secret:')
  for (const keys of ['typed-secret', '\u0014', '\r']) {
    await new Promise((resolve) => setTimeout(resolve, 60))
    pty.write(keys)
  }
  expect((await lastLines()).join('\n')).toContain('code 0')
  expect(text()).not.toContain('typed-secret')
})

test.each(['SIGTERM', 'SIGHUP'] as const)('at %s, it echoes again', async (signal) => {
  const line = `svc profiles add ended --url ${sandbox.baseUrl} --key pk_12345678`
  const { pty, shows, lastLines } = typed(line)
  await shows('API secret:')
  const children = readFileSync(`/proc/${pty.pid}/task/${pty.pid}/children`, 'utf8')
  process.kill(Number(children), signal)
  const lines = (await lastLines()).join('\n')
  for (const words of [`code ${128 + constants.signals[signal]}`, sane])
    expect(lines).toContain(words)
})

/** A line, what is typed at which words, and what is said in the end. */
test.each([
  ['no, by Enter', removal, ['(y/', '\r'], canceled],
  ['Tab, which is no answer', removal, ['(y/', '\t\r'], canceled],
  ['a wrong answer', removal, ['(y/', 'yeah\r', 'Type y, or n:', 'n\r'], canceled],
  ['Ctrl-C', removal, ['(y/', '\u0003'], ['code 130', 'interrupted; nothing was sent']],
  ['Ctrl-D', removal, ['(y/', '\u0004'], canceled],
  ['Ctrl-Z', suspended, ['(y/', '\u001a', 'away', '', '(y/', 'YES\r'], ['code 0', 'done']],
])('%s, and the terminal is as it was', async (_, line, answers, said) => {
  const { pty, shows, lastLines } = typed(line)
  for (let at = 0; at < answers.length; at += 2) {
    await shows(answers[at] ?? '')
    // Keys that were struck before the question are thrown away by the prompt.
    await new Promise((resolve) => setTimeout(resolve, 60))
    pty.write(answers[at + 1] ?? '')
  }
  const lines = await lastLines()
  for (const words of [...said, sane]) expect(lines.join('\n')).toContain(words)
})

/** The ways to a question, and what confirms it there. */
const ways = [
  ['one id', removal, 'y'],
  ['ids', `svc contacts delete ${two.join(' ')}`, '2'],
  ['a file', 'svc contacts delete --file two.txt', '2'],
  ['a pipe', 'cat two.txt | svc contacts delete --file -', '2'],
  ['a new try', 'svc contacts delete --file two.txt --once again', '2'],
] as const
test.each(ways)('%s: what was typed before the question is no answer', async (_, line, yes) => {
  const before = sandbox.requests.length
  writeFileSync(join(folder, 'two.txt'), two.map((id) => `${id}\n`).join(''))
  const ask = async (early: string, answer: string) => {
    const { pty, shows, lastLines } = typed(`echo READY; ${line}`)
    await shows('READY')
    pty.write(early)
    await shows(yes === 'y' ? '(y/N)' : 'Type 2, or n:')
    await new Promise((resolve) => setTimeout(resolve, 200))
    pty.write(answer)
    // A busy machine can be so late that this was early. The question is drawn again then.
    const again = setInterval(() => pty.write(answer), 5000)
    return (await lastLines().finally(() => clearInterval(again))).join('\n')
  }
  // Without its Enter, it waits in the terminal, too.
  for (const early of [`${yes}\r`, yes, `x\r${yes}\r`])
    expect(await ask(early, 'NO\r')).toContain(canceled[1])
  const stopped = typed(`echo READY; ${line}`)
  await stopped.shows('READY')
  stopped.pty.write(`${yes}\u0003`)
  await stopped.exited
  expect(sandbox.requests.slice(before).filter(({ method }) => method !== 'GET')).toEqual([])
  expect(await ask('n\r', `${yes}\r`)).toMatch(/done|not-found/)
})

/** A window that is closed. Before, a read can fail with EIO, as a preloaded module does. */
test.each([
  ['', false],
  [' while it is read', true],
])('that is closed%s, dies by SIGHUP, and sends nothing', async (_, fails) => {
  const before = sandbox.requests.length
  const preloaded = join(folder, 'fail.cjs')
  writeFileSync(preloaded, failedRead)
  const words = [...(fails ? ['--require', preloaded] : []), bin, ...removal.split(' ').slice(1)]
  const pty = spawnPty(process.execPath, words, { cwd: folder, env: { ...env, TERM: 'xterm' } })
  const exited = new Promise((resolve) => pty.onExit(resolve))
  await new Promise<void>((resolve) => {
    pty.onData((text) => text.includes('(y/') && resolve())
  })
  if (!fails) (pty as unknown as { destroy: () => void }).destroy()
  expect(await exited).toMatchObject({ signal: constants.signals.SIGHUP })
  expect(sandbox.requests.slice(before).filter(({ method }) => method !== 'GET')).toEqual([])
})

const failedRead = `
  const { ReadStream } = require('node:tty')
  const { setRawMode } = ReadStream.prototype
  ReadStream.prototype.setRawMode = function (isRaw) {
    const failure = Object.assign(new Error('read EIO'), { code: 'EIO' })
    if (isRaw) setTimeout(() => this.destroy(failure), 100)
    return setRawMode.call(this, isRaw)
  }
`
