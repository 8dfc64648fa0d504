/** `svc sandbox exec` as a real process: signals, and the person's own shell. */
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Host } from '../../../src/host.ts'
import { realHost } from '../../support/real-host.ts'
import { ownFolder } from '../../support/ending.ts'
import { bin, onTerminal, start, startSvc, type Running } from '../../support/spawned.ts'
import { envFor } from '../../support/loopback.ts'
import { createWorld } from '../../support/svc.ts'

const { folder, svc } = createWorld()
symlinkSync(bin, join(folder, 'svc'))
const inPath = { HOME: folder, SHELL: '/bin/sh', PATH: `${folder}:${process.env['PATH'] ?? ''}` }

test('without a command, its shell goes to the sandbox alone, whatever a start-up file says', async () => {
  const { code, stdout, stderr } = await startSvc('sandbox exec', {
    env: { ...inPath, ...envFor('http://127.0.0.1:1') },
    stdin:
      'svc lists list --limit 1 -o ids\nexport SVC_BASE_URL=https://api.example.com\nsvc lists list\n',
  }).ended
  expect([code, stdout]).toEqual([2, '64002b3881a0fa394c00012b\n'])
  expect(stderr).toContain('note: svc commands go to a new sandbox at http://127.0.0.1:')
  expect(stderr).toContain('but SVC_SANDBOX allows only')
  expect(stderr).toMatch(/note: the sandbox has stopped\n$/)
})

test.each([
  ['svc sandbox exec', ['C:\\cmd.exe']],
  ['svc sandbox exec -- powershell -File a.ps1', ['powershell', '-File', 'a.ps1']],
  ['svc sandbox exec -- svc lists list', [process.execPath, bin, 'lists', 'list']],
])('on Windows, %s starts what Windows can start, and svc is a batch file', async (line, words) => {
  const started: { words: string[]; scripts: string[] }[] = []
  const spawn: Host['spawn'] = (file, args, options) => {
    const place = (options.env?.['PATH'] ?? '').split(':')[0] ?? ''
    const scripts = readdirSync(place).map(
      (name) => `${name}: ${readFileSync(join(place, name), 'utf8')}`,
    )
    started.push({ words: [file, ...args], scripts })
    return realHost.spawn('true', [], options)
  }
  const env = { ComSpec: 'C:\\cmd.exe', SHELL: '/bin/sh' }
  const { code } = await svc(line.slice(4), { isWindows: true, spawn, env })
  expect(code).toBe(0)
  const script = `svc.cmd: @chcp 65001 >nul\r\n@"${process.execPath}" "${bin}" %*\r\n`
  expect(started).toEqual([{ words, scripts: [script] }])
})

test.each(['nightly.cmd', 'C:/jobs/NIGHTLY.BAT'])('on Windows, %s needs cmd', async (name) => {
  expect(await svc(`sandbox exec -- ${name}`, { isWindows: true })).toEqual({
    code: 2,
    stdout: '',
    stderr: `error: "${name}" is a batch file\n  put cmd /c before it\n`,
  })
})

/** A script in a sandbox, with a file for its words. It leaves no temporary file. */
function exec(script: string): Running & { out: string } {
  const [TMPDIR, out] = [ownFolder('exec'), join(ownFolder('exec'), 'out')]
  const words = [bin, 'sandbox', 'exec', '--', 'sh', '-c', script, 'sh', out]
  const running = start(process.execPath, words, { env: { TMPDIR } })
  onTestFinished(() => expect(readdirSync(TMPDIR)).toEqual([]))
  return Object.assign(running, { out })
}

test('exec passes SIGTERM on and waits for the command', async () => {
  const running = exec(
    // Each signal has its own word.
    `for s in TERM HUP INT; do trap "sleep 0.2; echo $s >> '$1'; exit 3" $s; done; echo up > "$1"; while :; do sleep 0.05; done`,
  )
  const said = () => existsSync(running.out) && readFileSync(running.out, 'utf8')
  await expect.poll(said).toBe('up\n')
  running.kill('SIGTERM')
  expect([(await running.ended).signal, said()]).toEqual(['SIGTERM', 'up\nTERM\n'])
})

test('on a terminal, Ctrl-C reaches the command once, without us', async () => {
  const folder = ownFolder('exec')
  writeFileSync(
    join(folder, 'script'),
    `trap 'echo got' INT; echo up; sleep 0.5; sleep 0.5; echo end; exit 0`,
  )
  const on = onTerminal('svc sandbox exec -- sh script', {}, folder)
  await on.shows('up')
  on.pty.write('\u0003')
  await on.shows('end')
  await on.exited
  expect(on.text().match(/got/g)).toHaveLength(1)
})
