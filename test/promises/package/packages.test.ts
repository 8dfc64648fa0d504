/** The packages of the build are listed where auditors look, and the build has no others. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../support/svc.ts'

test('no module that executes a configuration file is in the build', () => {
  const packages = JSON.parse(readFileSync(join(root, 'dist/packages.json'), 'utf8')) as {
    name: string
  }[]
  const names = packages.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['undici', 'commander', 'cosmiconfig']))
  for (const name of ['import-fresh', 'parse-json', 'typescript']) expect(names).not.toContain(name)
})

test('the check of bundled packages passes', () => {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'tools/build/bundle.mjs')])
  expect([status, stderr.toString()]).toEqual([0, ''])
})
