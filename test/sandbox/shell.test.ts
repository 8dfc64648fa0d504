/** `svc sandbox shell`: bash on a real terminal; zsh and fish are tried by `node tools/shells/shells.mjs`. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { nodeHost } from '../../src/host.ts'
import { shellOf, startOf } from '../../src/sandbox/shells.ts'
import { start, startSvc } from '../runs/spawned.ts'
import { createWorld, root } from '../svc.ts'

const { folder } = createWorld()

test('whatever the start-up files of bash say, svc speaks to the sandbox', async () => {
  const driver = join(root, 'tools/shells/sandbox-shell.mjs')
  const { code, stdout } = await start(process.execPath, [driver, 'bash']).ended
  expect([stdout, code]).toEqual(['svc sandbox shell in bash: 17 of 17 as they should be\n', 0])
})

test('a shell without a start-up file ends with its input', async () => {
  const env = { HOME: folder, SHELL: '/bin/bash' }
  const { code, stderr } = await startSvc('sandbox shell', {
    env,
    stdin: 'svc lists list --limit 1 --json\nexit 6\n',
  }).ended
  expect(code).toBe(6)
  expect(stderr).toContain('note: svc uses a new sandbox at http://127.0.0.1:')
  expect(stderr).toMatch(/note: the sandbox has stopped; commands go to your own service again\n$/)
})

test.each([
  ['bash', 'bash'],
  ['/usr/local/bin/zsh', 'zsh'],
  ['C:\\Program Files\\Git\\usr\\bin\\bash.exe', 'bash'],
  ['C:\\Program Files\\PowerShell\\7\\pwsh.exe', 'PowerShell'],
  ['C:\\Windows\\System32\\cmd.exe', undefined],
  ['/bin/dash', undefined],
  ['constructor', undefined],
])('the shell of %j is %s', (program, shell) => {
  expect(shellOf(program)).toBe(shell)
})

/** No PowerShell is at hand in CI: at least the text must be what was meant. */
test('PowerShell gets its commands after its own profile, with every quote doubled', () => {
  const surroundings = {
    folder: "C:\\it's",
    bin: "C:\\it's\\bin",
    pinned: { SVC_SANDBOX: 'http://127.0.0.1:1' },
    variables: { SVC_SANDBOX: 'http://127.0.0.1:1', SVC_CONFIG: "C:\\it's\\c.json" },
    baseUrl: 'http://127.0.0.1:1',
  }
  const { args, files } = startOf('PowerShell', surroundings, nodeHost(process))
  const [noLogo, noExit, command, text = ''] = args
  expect([noLogo, noExit, command, files]).toEqual(['-NoLogo', '-NoExit', '-Command', undefined])
  expect(text.split('; ').slice(0, 4)).toEqual([
    'Remove-Item Env:SVC_PROFILE,Env:SVC_API_SECRET_FILE,Alias:svc,Function:svc -ErrorAction Ignore',
    "$env:SVC_SANDBOX = 'http://127.0.0.1:1'",
    "$env:SVC_CONFIG = 'C:\\it''s\\c.json'",
    "$env:PATH = 'C:\\it''s\\bin' + [IO.Path]::PathSeparator + $env:PATH",
  ])
})
