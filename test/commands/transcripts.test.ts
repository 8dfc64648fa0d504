/**
 * The output of commands: `test/commands/<noun>/<verb>.txt`, and a few topics of other folders.
 * Each section of a file is a test.
 */
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { main } from '../../src/main.ts'
import { root } from '../support/svc.ts'
import { play } from '../support/transcripts/run.ts'

const folder = join(root, 'test')

const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.txt'))
  .filter((name) => readFileSync(join(folder, name), 'utf8').startsWith('## '))
const built = createRequire(import.meta.url)(join(root, 'dist/main.js')) as {
  readonly main: typeof main
}

/**
 * The sources and the build, command by command in turn: a transcript proves that both behave the
 * same.
 */
function inTurn(): typeof main {
  let turn = 0
  return (host) => ((turn += 1) % 2 === 0 ? main : built.main)(host)
}

/** A text cut at each `## …`; what stands before the first one is no section. */
const sectionsOf = (text: string): string[] => text.split(/^## /m).slice(1)
const titleOf = (section: string): string => section.replace(/\n[^]*/, '')

const isUpdate = inject('isUpdate')
const timeOf = (path: string) => statSync(join(root, path)).mtimeMs
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
const isStale = sources.some((path) => timeOf(`src/${path}`) > timeOf('dist/main.js'))
if (isStale) throw new Error('the build is older than the sources: node bin/build.mjs')

describe.each(names)('%s', (name) => {
  const path = join(folder, name)
  const text = readFileSync(path, 'utf8')
  let played: Promise<string> | undefined
  /**
   * The whole file is played once, by the first of its tests: a section builds on those before it.
   */
  const playedText = () => (played ??= play(text, inTurn()))

  const rows = sectionsOf(text).map((section, nth) => [titleOf(section), section, nth] as const)
  test.each(isUpdate ? [] : rows)('%s', async (_, section, nth) => {
    expect(sectionsOf(await playedText())[nth]).toBe(section)
  })
  test.each(isUpdate ? [name] : [])('%s is written', async () => {
    await expect(await playedText()).toMatchFileSnapshot(path)
  })
})
