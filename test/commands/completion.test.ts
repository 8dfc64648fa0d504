import { execFile, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { formats } from '../../src/output/format.ts'
import { allPages, program as tree } from '../tree.ts'
import { createWorld, root } from '../svc.ts'
import { ownFolder } from '../ending.ts'
import { canRun } from '../has-feature.ts'

const { svc, folder } = createWorld()
const config = join(folder, '.config/svc')
mkdirSync(config, { recursive: true, mode: 0o700 })
const profile = {
  baseUrl: 'https://api.example.com',
  apiKey: 'pk_12345678',
  secretCommand: ['touch', join(folder, 'ran')],
}
writeFileSync(
  join(config, 'config.json'),
  JSON.stringify({ profiles: { 'prod.eu-1': profile, staging: profile } }),
  {
    mode: 0o600,
  },
)

/** The candidates for the last of the words. */
async function complete(...words: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await svc(['__complete', '--', ...words])
  expect([code, stderr]).toEqual([0, ''])
  return stdout.split('\n').slice(0, -1)
}

async function values(...words: string[]): Promise<string[]> {
  return (await complete(...words)).map((line) => line.split('\t')[0] ?? '')
}

describe('the words that are offered', () => {
  test('commands, with what they do', async () => {
    const lines = await complete('')
    expect(lines).toContain('lists\tcontact lists and who is in them')
    expect(lines.map((line) => line.split('\t')[0])).toEqual(
      tree.commands.map((command) => command.name),
    )
    const lists = tree.commands.find((command) => command.name === 'lists')
    expect(await values('lists', '')).toEqual(lists?.commands.map((command) => command.name))
    expect(await values('-q', '--profile', 'x', 'lists', '')).toContain('add-contacts')
  })

  test.each(allPages.map((command) => [command.path, command] as const))(
    'every option of %s',
    async (path, command) => {
      const offered = await values(...path.split(' ').slice(1), '--')
      const options = [...command.options, ...tree.options]
      for (const { long } of options) expect(offered).toContain(long)
      expect(offered).toContain('--help')
    },
  )

  test('the listed values of an option', async () => {
    expect(await values('lists', 'list', '-o', '')).toEqual([...formats])
    expect(await values('employees', 'list', '--kind', '')).toEqual(['human', 'ai'])
    expect(await values('employees', 'list', '--kind=h')).toEqual(['--kind=human', '--kind=ai'])
  })

  test('names of profiles, of the file that the line names', async () => {
    const names = ['prod.eu-1\tapi.example.com', 'staging\tapi.example.com']
    expect(await complete('-p', '')).toEqual(names)
    for (const verb of ['use', 'show', 'remove'])
      expect(await complete('profiles', verb, '')).toEqual(names)
    const other = join(folder, 'other.json')
    writeFileSync(other, JSON.stringify({ profiles: { other: profile } }), { mode: 0o600 })
    expect(await values('--config', other, '-p', '')).toEqual(['other'])
    expect(await values(`--config=${other}`, 'profiles', 'use', '')).toEqual(['other'])
    // Reading the names runs no secret command.
    expect(readdirSync(folder)).not.toContain('ran')
  })

  test('names of runs', async () => {
    const runs = join(folder, 'state/runs')
    mkdirSync(runs, { recursive: true })
    for (const name of ['20260301T101500Z-7f3a', '20260302T101500Z-0001', '@nightly'])
      writeFileSync(join(runs, `${name}.ndjson`), '')
    const words = ['--state-dir', join(folder, 'state'), 'runs', 'show', '']
    expect(await values(...words)).toEqual([
      'nightly',
      '20260302T101500Z-0001',
      '20260301T101500Z-7f3a',
    ])
  })

  const files = [
    ['lists add-contacts VIP', '--file='],
    ['contacts delete --receipts', 'o'],
    ['--config', ''],
    ['ids subtract a.txt b.txt', ''],
    ['sandbox exec --', ''],
  ] as const
  const possible = files.filter(([before]) => canRun(before))
  test.each(possible)('files are left to the shell: svc %s %s', async (before, word) => {
    expect(await complete(...before.split(' '), word)).toEqual([':files'])
  })

  test('a broken or hostile configuration is no matter here', async () => {
    const broken = join(folder, 'broken.json')
    writeFileSync(broken, '{', { mode: 0o600 })
    const script = join(folder, 'config.js')
    writeFileSync(
      script,
      `require('node:fs').writeFileSync(${JSON.stringify(join(folder, 'ran'))}, '')`,
      {
        mode: 0o600,
      },
    )
    for (const file of [broken, script, join(folder, 'missing.json')])
      expect(await complete('--config', file, '-p', '')).toEqual([])
    expect(readdirSync(folder)).not.toContain('ran')
  })
})

describe('the scripts', () => {
  test.each(['bash', 'zsh', 'fish'])(
    '%s: printed without any configuration, and the shell can read it',
    async (shell) => {
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
    },
  )

  test('bash: nothing that bash 3.2 lacks', async () => {
    const { stdout } = await svc('completion bash')
    expect(stdout).not.toMatch(
      /\$\{\w+\[-\d|declare -A|mapfile|readarray|\$\{\w+,,|\$\{\w+\^|local -n|\$\{\w+@/,
    )
  })
})

/** In a real bash, with the variables that readline would set. `tools/shells/shells.mjs` types into all three shells. */
describe.skipIf(spawnSync('bash', ['--version']).error !== undefined)('in bash', () => {
  const home = ownFolder('bash')

  /** The words that bash would offer for the last one; `canned` is the answer of svc. */
  async function reply(words: readonly string[], canned?: string): Promise<string[]> {
    const shim = join(home, 'svc')
    const answer =
      canned === undefined
        ? `exec "${process.execPath}" "${join(root, 'bin/svc.js')}" "$@"`
        : `cat "${join(home, 'canned')}"`
    writeFileSync(shim, `#!/bin/sh\n${answer}\n`)
    chmodSync(shim, 0o755)
    if (canned !== undefined) writeFileSync(join(home, 'canned'), canned)
    writeFileSync(join(home, 'svc.bash'), (await svc('completion bash')).stdout)
    const line = ['svc', ...words].join(' ').replaceAll(/ ([:=]) ?/g, '$1')
    const harness = `
      source "$1"; line=$2; shift 2
      COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE=$line COMP_POINT=\${#line}
      _svc; ((\${#COMPREPLY[@]})) && printf '%s\\0' "\${COMPREPLY[@]}"; exit 0`
    const { stdout } = await promisify(execFile)(
      'bash',
      ['-c', harness, 'bash', join(home, 'svc.bash'), line, 'svc', ...words],
      {
        cwd: home,
        env: { PATH: `${home}:${process.env['PATH'] ?? ''}`, HOME: folder },
      },
    )
    return stdout.split('\0').slice(0, -1)
  }

  test('commands, options, profiles', async () => {
    expect(await reply(['lists', 'list', '--page'])).toEqual(['--page', '--page-size'])
    // readline has cut at the =, so only what stands behind it is put in.
    expect(await reply(['--profile', '=', 'pr'])).toEqual(['prod.eu-1'])
    expect(await reply(['lists', 'add-contacts', 'VIP', '--file', ''])).toEqual([])
  })

  test('values are put in so that the shell reads exactly them, and nothing is executed', async () => {
    const words = [
      'two words',
      "it's",
      'a"quote',
      '$(touch pwned)',
      '`touch pwned`',
      'ns:colon',
      'key=value',
    ]
    const evil = [...words, 'back\\slash', '*', '$HOME', ';', '~', 'über']
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
        ['--config', word, 'profiles', 'use', ''],
      ])
        expect(await reply(typed, '')).toEqual([])
    expect(readdirSync(home)).not.toContain('pwned')
  })

  test('behind an open quote only harmless values are offered', async () => {
    expect(await reply(['x', '"'], 'two words\t\n$(touch pwned)\t\n')).toEqual(['two words'])
  })

  test('colons', async () => {
    expect(await reply(['x', 'ns', ':', 'co'], 'ns:colon\t\nns:other\t\n')).toEqual(['colon'])
    expect(await reply(['x', 'ns', ':'], 'ns:colon\t\n')).toEqual(['colon'])
  })
})
