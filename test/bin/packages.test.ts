/** The packages of the build are listed where auditors look, and the build has no others. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { ownFolder } from '../ending.ts'
import { root } from '../svc.ts'

const files = [
  'package.json',
  'package-lock.json',
  'tools/build/bundled.json',
  'tools/build/bundle.mjs',
  'tools/harness/tool.mjs',
  'dist/packages.json',
]

/** The check over a copy in which a file was changed. */
function check(
  changed?: string,
  how: (text: string) => string = (text) => text,
): { code: number | null; said: string } {
  const folder = ownFolder('packages')
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(root, file), join(folder, file))
  }
  if (changed !== undefined) {
    const text = readFileSync(join(folder, changed), 'utf8')
    if (how(text) === text) throw new Error(`nothing of ${changed} was changed`)
    writeFileSync(join(folder, changed), how(text))
  }
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(folder, 'tools/build/bundle.mjs')],
    {
      encoding: 'utf8',
    },
  )
  return { code: status, said: stdout + stderr }
}

test('no module that executes a configuration file is in the build', () => {
  const packages = JSON.parse(readFileSync(join(root, 'dist/packages.json'), 'utf8')) as {
    name: string
  }[]
  const names = packages.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['undici', 'commander', 'cosmiconfig']))
  for (const name of ['import-fresh', 'parse-json', 'typescript']) expect(names).not.toContain(name)
})

test('the check passes on what is here, and on nothing else', () => {
  expect(check()).toMatchObject({ code: 0 })
  for (const [file, from, to, said] of [
    ['tools/build/bundled.json', '"chalk",', '', 'chalk is part of the build, but not listed'],
    [
      'tools/build/bundled.json',
      '"chalk",',
      '"chalk","left-pad",',
      'left-pad is listed, but not part of the build',
    ],
    ['package.json', /"undici": "[^"]+"/, '"undici": "^7.0.0"', 'not pinned: ^7.0.0'],
    [
      'package.json',
      '"devDependencies"',
      '"dependencies":{"ms":"1.0.0"},"devDependencies"',
      'ms would be installed',
    ],
    ['dist/packages.json', /"sha512-.{8}/, '"sha512-00000000', 'is not what the lockfile has'],
  ] as const) {
    expect(check(file, (text) => text.replace(from, to))).toEqual({
      code: 1,
      said: expect.stringContaining(said) as string,
    })
  }
})
