/** The packages of the build are listed where auditors look, and the build has no others. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { ownFolder } from '../ending.ts'
import { root } from '../svc.ts'

interface Component {
  readonly name: string
  readonly version: string
  readonly purl: string
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[]
}

const files = [
  'package.json',
  'package-lock.json',
  'tools/build/bundled.json',
  'tools/build/bundle.mjs',
  'tools/harness/tool.mjs',
  'dist/sbom.cdx.json',
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

test('the bill of materials names every package of the build, with version and checksum', () => {
  const { components } = JSON.parse(readFileSync(join(root, 'dist/sbom.cdx.json'), 'utf8')) as {
    components: Component[]
  }
  expect(components.length).toBeGreaterThan(20)
  for (const { name, version, purl, hashes } of components) {
    expect(purl).toMatch(
      new RegExp(`^pkg:npm/(%40[\\w-]+/)?${name}@${version.replaceAll('.', '\\.')}$`),
    )
    expect(hashes).toEqual([
      { alg: 'SHA-512', content: expect.stringMatching(/^[\da-f]{128}$/) as string },
    ])
  }
  expect(components.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['undici', 'commander', 'cosmiconfig']),
  )
  // The build has no code that executes a configuration file.
  for (const name of ['import-fresh', 'typescript'])
    expect(components.map((one) => one.name)).not.toContain(name)
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
    [
      'dist/sbom.cdx.json',
      /"content": "[\da-f]{8}/,
      '"content": "00000000',
      'is not what the lockfile has',
    ],
  ] as const) {
    expect(check(file, (text) => text.replace(from, to))).toEqual({
      code: 1,
      said: expect.stringContaining(said) as string,
    })
  }
})
