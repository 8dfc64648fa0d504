/**
 * Whole commands, as processes, in a folder that somebody else has filled with all that might be read or run at once. What
 * they are to send goes to the user's own service; another one listens, and must hear nothing.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startSandbox, type Sandbox } from '../sandbox/watched.ts'
import { startSvc } from '../bulk/spawned.ts'
import { guardSecret } from '../svc.ts'
import { figure } from './figure.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-folders-')))
const marker = join(folder, 'executed')
let requests = 0
const evil = createServer((_request, response) => {
  requests += 1
  response.end('{"data":[]}')
})
let evilUrl = ''
let sandbox: Sandbox
let env: Record<string, string> = {}

function write(path: string, content: string, mode = 0o600): void {
  const whole = join(folder, path)
  mkdirSync(dirname(whole), { recursive: true, mode: 0o700 })
  writeFileSync(whole, content, { mode })
  chmodSync(whole, mode)
}

beforeAll(async () => {
  sandbox = await startSandbox({ contacts: 100 })
  await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve))
  evilUrl = `http://127.0.0.1:${(evil.address() as AddressInfo).port}`
  const [key] = sandbox.keys
  guardSecret(key?.apiSecret ?? '')
  write('own/secret-tool', `#!/bin/sh\nprintf '%s\\n' '${key?.apiSecret ?? ''}'\n`, 0o700)
  const own = { baseUrl: sandbox.baseUrl, apiKey: key?.apiKey, secretCommand: ['secret-tool'] }
  write('home/.config/svc/config.json', JSON.stringify({ current: 'prod', profiles: { prod: own } }))
  // The folder itself comes first on PATH, as some have it.
  env = { HOME: join(folder, 'home'), PATH: `.:bin:./bin:${join(folder, 'own')}:${process.env['PATH'] ?? ''}` }
})

afterAll(async () => {
  evil.close()
  await sandbox.close()
  rmSync(folder, { recursive: true, force: true })
})

const lines = [
  'whoami --json',
  'lists list --limit 1 --json',
  'employees list -o ids',
  'doctor --json',
  'profiles show --json',
  'profiles list',
  'api /v1/lists --query limit=1',
  'contacts delete 0123456789abcdef01234567 --yes --json --accept not-found',
  'completion bash',
  'runs list',
  'help configuration',
]

function plant(project: string): void {
  const touch = `require('node:fs').writeFileSync(${JSON.stringify(marker)}, 'executed')`
  const shell = `#!/bin/sh\ntouch '${marker}'\necho stolen\n`
  const profiles = {
    current: 'prod',
    profiles: { prod: { baseUrl: evilUrl, apiKey: 'pk_evil', apiSecret: 'x'.repeat(8) } },
  }
  for (const stem of ['.svcrc', '.config/svcrc', 'svc.config', '.config/config']) {
    for (const ending of ['js', 'cjs', 'ts'])
      write(`${project}/${stem}.${ending}`, `${touch}\nmodule.exports = ${JSON.stringify(profiles)}`)
    write(
      `${project}/${stem}.mjs`,
      `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(marker)}, '')\nexport default {}`,
    )
  }
  write(
    `${project}/package.json`,
    JSON.stringify({ main: 'index.js', svc: profiles, cosmiconfig: { $import: '.svcrc.js' } }),
  )
  write(`${project}/.config/config.json`, JSON.stringify({ ...profiles, $import: '../.svcrc.js' }))
  write(`${project}/.svcrc`, JSON.stringify(profiles))
  write(`${project}/../.svcrc.json`, JSON.stringify({ baseUrl: evilUrl }))
  write(`${project}/config.json`, JSON.stringify(profiles))
  write(`${project}/.env`, `SVC_BASE_URL=${evilUrl}\nNODE_OPTIONS=--require ./.svcrc.js\n`)
  write(`${project}/.npmrc`, `node-options=--require ./.svcrc.js\n`)
  write(`${project}/index.js`, touch)
  for (const name of [
    'secret-tool',
    'pass',
    'sh',
    'stty',
    'less',
    'git',
    'bin/secret-tool',
    'node_modules/.bin/secret-tool',
  ]) {
    write(`${project}/${name}`, shell, 0o755)
  }
  for (const name of ['undici', 'commander', 'cosmiconfig', 'valibot', 'chalk'])
    write(`${project}/node_modules/${name}/index.js`, touch)
}

async function runAll(cwd: string, all = lines): Promise<(number | null)[]> {
  const codes: (number | null)[] = []
  for (const line of all) {
    const { code } = await startSvc(line, { env, cwd }).ended
    codes.push(code)
    figure('commands in a hostile folder', 1)
  }
  figure('executions in hostile folders', existsSync(marker) ? 1 : 0)
  figure('requests to another origin', requests)
  return codes
}

it('what is not a project file of svc is passed over: each command does its work', async () => {
  plant('one/project')
  const before = sandbox.requests.length
  const codes = await runAll(join(folder, 'one/project'))
  expect(existsSync(marker)).toBe(false)
  expect(requests).toBe(0)
  expect(codes.filter((code) => code !== 0)).toEqual([])
  expect(sandbox.requests.length - before).toBeGreaterThan(4)
})

it.each([
  ['a base URL', () => ({ baseUrl: evilUrl })],
  [
    'a secret command',
    () => ({ profiles: { prod: { baseUrl: evilUrl, apiKey: 'k', secretCommand: ['./secret-tool'] } } }),
  ],
  ['an import', () => ({ $import: '.svcrc.js' })],
])('a project file with %s is refused: nothing is sent at all', async (_what, content) => {
  plant('two/project')
  write('two/project/.svcrc.json', JSON.stringify(content()))
  const before = sandbox.requests.length
  // That the others take their settings from the same place is seen above; `npm run figures` runs them all.
  const isFigure = (process.env['SVC_FIGURES'] ?? '') !== ''
  const codes = await runAll(join(folder, 'two/project'), isFigure ? lines : lines.slice(0, 4))
  expect(existsSync(marker)).toBe(false)
  expect(requests).toBe(0)
  expect(sandbox.requests.length).toBe(before)
  expect(codes.slice(0, 3)).toEqual([2, 2, 2])
})
