/** Laws of the table of settings: option, variable and file of each say the same, wrong values are told, and the help names all of them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkProjectFile, checkUserFile } from '../../src/config/schema.ts'
import { resolveSettings, type GlobalOptions } from '../../src/config/settings.ts'
import { beforeFiles, longOf, settingNames, settings, type SettingKey } from '../../src/config/table.ts'
import { wholeTree } from '../tree.ts'
import type { WholeTree } from '../../src/program/tree.ts'
import { createWorld, root } from '../svc.ts'

const { svc } = createWorld()
const program = await wholeTree()
const help = (await svc('help environment')).stdout
const page = readFileSync(join(root, 'docs/configuration.md'), 'utf8')
const wrong = 'x!'

/** In a file a whole number and yes or no are written without quotes. */
const inFile = (text: string): string | number | boolean =>
  /^(?:\d+|true)$/.test(text) ? (JSON.parse(text) as number) : text

const verbs = (tree: WholeTree): WholeTree[] => [tree, ...tree.commands.flatMap(verbs)]

test.each(settingNames)('%s: every place gives the same', (key: SettingKey) => {
  const { builtIn, example, files, heading, parse, variables = [] } = settings[key]
  const expected = parse(example, 'it')
  const none = resolveSettings({ env: {} }, {}, [])
  expect(none[key]).toEqual({ value: builtIn, source: 'built-in' })

  const typed: GlobalOptions = { [key]: example }
  const byOption = heading === undefined ? [] : [resolveSettings({ env: {} }, typed, [])[key]]
  expect(byOption).toEqual(byOption.map(() => ({ value: expected, source: longOf(key) })))

  // A colour is not named by its variables: that they are there says it.
  const named = variables.filter((name) => name.startsWith('SVC_'))
  const byVariable = named.map((name) => resolveSettings({ env: { [name]: example } }, {}, [])[key])
  expect(byVariable).toEqual(named.map((source) => ({ value: expected, source })))
  for (const name of named) expect(() => resolveSettings({ env: { [name]: wrong } }, {}, [])).toThrow(name)

  const defaults = { [key]: inFile(example) }
  const user = checkUserFile({ defaults })
  expect([key, user.ok]).toEqual([key, files !== 'none'])
  expect([key, checkProjectFile({ defaults }).ok]).toEqual([key, files === 'every'])
  const layer = { source: 'a file', defaults: user.ok ? user.value.defaults : {} }
  const byFile = resolveSettings({ env: {} }, {}, [layer])[key]
  expect(byFile).toEqual(files === 'none' ? none[key] : { value: expected, source: 'a file' })
  expect(checkUserFile({ defaults: { [key]: wrong } })).toMatchObject({
    ok: false,
    problem: expect.stringContaining(key) as string,
  })
})

test.each([...settingNames, ...(Object.keys(beforeFiles) as (keyof typeof beforeFiles)[])])(
  '%s: help and page name it',
  (key) => {
    const row = { ...beforeFiles, ...settings }[key]
    const variables: readonly string[] = 'variables' in row ? (row.variables ?? []) : []
    for (const name of variables) expect([help, page].filter((text) => !text.includes(name))).toEqual([])
    const long = longOf(key)
    const declared = verbs(program).flatMap(({ options }) => options.filter((option) => option.long === long))
    expect([key, declared.length > 0]).toEqual([key, long !== undefined])
    const isGlobal = 'heading' in row && row.heading !== undefined
    const descriptions = isGlobal ? declared.map(({ text }) => text) : []
    for (const text of descriptions) expect(variables.filter((name) => !text.includes(name))).toEqual([])
  },
)

test('SVC_ERROR_FORMAT is --error-format for good', async () => {
  const json = { env: { SVC_ERROR_FORMAT: 'json' } }
  expect((await svc('lists lst', json)).stderr).toMatch(/^\{"type":"error"/)
  expect((await svc('lists lst --error-format text', json)).stderr).toMatch(/^error:/)
  expect((await svc('lists lst --json', { env: { SVC_ERROR_FORMAT: 'text' } })).stderr).toMatch(/^error:/)
  const { code, stderr } = await svc('profiles list', { env: { SVC_ERROR_FORMAT: 'yaml' } })
  expect([code, stderr]).toEqual([2, expect.stringContaining('SVC_ERROR_FORMAT')])
})
