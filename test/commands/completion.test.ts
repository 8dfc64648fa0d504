import { execFile, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { allPages, program as tree } from '../support/tree.ts'
import { createWorld } from '../support/svc.ts'
import { ownFolder } from '../support/ending.ts'

const { svc, folder } = createWorld()

const commands = allPages.map((command) => [command.path, command] as const)
test.each(commands)('every option of %s is offered once', async (path, command) => {
  const words = [...path.split(' ').slice(1), '--']
  const { code, stdout, stderr } = await svc(['__complete', '--', ...words])
  expect([code, stderr]).toEqual([0, ''])
  const offered = stdout.split('\n').map((line) => line.split('\t')[0] ?? '')
  const options = [...command.options, ...tree.options].map(({ long = '' }) => long)
  const all = [...options, '--version']
  expect(offered.slice(0, -1).toSorted()).toEqual([...new Set(all)].toSorted())
})

const shells = ['bash', 'zsh', 'fish', 'powershell']
test.each(shells)('%s: printed without a configuration, and can be read', async (shell) => {
  const { code, stdout, stderr } = await svc(['completion', shell], {
    env: { SVC_CONFIG: '/nowhere/config.js' },
  })
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^[\x20-\x7e\n]*$/)
  const file = join(folder, `svc.${shell}`)
  writeFileSync(file, stdout)
  const known = spawnSync(shell, ['-n', file], { encoding: 'utf8' })
  // Not every machine has every shell.
  const said = known.error === undefined ? [known.status, known.stderr] : [0, '']
  expect(said).toEqual([0, ''])
})

/** In a real bash, with the variables that readline would set. */
describe.skipIf(spawnSync('bash', ['--version']).error !== undefined)('in bash', () => {
  const home = ownFolder('bash')

  /** The words that bash would offer for the last one when svc answers this. */
  async function reply(words: readonly string[], answer: string): Promise<string[]> {
    const script = `#!/bin/sh\necho "$@" > "${home}/asked"\ncat "${home}/answer"\n`
    writeFileSync(join(home, 'svc'), script, { mode: 0o755 })
    writeFileSync(join(home, 'answer'), answer)
    writeFileSync(join(home, 'svc.bash'), (await svc('completion bash')).stdout)
    const line = ['svc', ...words].join(' ').replaceAll(/ ([:=]) ?/g, '$1')
    const harness = `
      source "$1"; line=$2; shift 2
      COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE=$line COMP_POINT=\${#line}
      _svc; ((\${#COMPREPLY[@]})) && printf '%s\\0' "\${COMPREPLY[@]}"; exit 0`
    const given = ['-c', harness, 'bash', join(home, 'svc.bash'), line, 'svc', ...words]
    const env = { PATH: `${home}:${process.env['PATH'] ?? ''}`, HOME: folder }
    const { stdout } = await promisify(execFile)('bash', given, { cwd: home, env })
    return stdout.split('\0').slice(0, -1)
  }

  test('words, and files, which are left to bash', async () => {
    expect(await reply(['lists', 'list', '--sear'], '--search\tsearch\n')).toEqual(['--search'])
    // readline has cut at the =, so only what stands behind it is put in.
    expect(await reply(['--profile', '=', 'pr'], '--profile=prod.eu-1\n')).toEqual(['prod.eu-1'])
    expect(readFileSync(join(home, 'asked'), 'utf8')).toBe('__complete -- --profile=pr\n')
    expect(await reply(['lists', 'add-contacts', 'VIP', '--file', ''], ':files\n')).toEqual([])
  })

  test('values are put in so that the shell reads exactly them, and nothing is executed', async () => {
    const words =
      'two words|it\'s|a"quote|$(touch pwned)|`touch pwned`|ns:colon|key=value|' +
      'back\\slash|*|$HOME|;|~|über'
    const evil = words.split('|')
    const given = await reply(
      ['x', ''],
      evil.map((value) => `${value}\t$(touch pwned) \`touch pwned\`\n`).join(''),
    )
    const { stdout } = await promisify(execFile)(
      'bash',
      ['-c', `printf '%s\\0' ${given.join(' ')}`],
      { cwd: home },
    )
    expect(stdout.split('\0').slice(0, -1).toSorted()).toEqual(evil.toSorted())
    for (const word of ['$(touch pwned)', '`touch pwned`', '"$(touch pwned)', "'$(touch pwned)"])
      for (const typed of [
        ['lists', 'get', word],
        ['-p', word, 'profiles', 'use', ''],
      ])
        expect(await reply(typed, '')).toEqual([])
    expect(readdirSync(home)).not.toContain('pwned')
  })
})
