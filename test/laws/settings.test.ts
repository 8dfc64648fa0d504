/**
 * Laws for every setting, from its row: option, variable and file agree in value and in what they refuse, the option comes before
 * the variable, the file and the default, and the help names all of them.
 */
import { describe, expect, test } from 'vitest'
import { checkUserFile } from '../../src/config/schema.ts'
import { resolveSettings, type Layer, type TypedSettings } from '../../src/config/settings.ts'
import {
  beforeFiles,
  rows,
  settingNames,
  type OptionKey,
  type Setting,
  type SettingKey,
} from '../../src/config/table.ts'
import { SvcError } from '../../src/errors.ts'
import { realHost } from '../host.ts'
import { createWorld } from '../svc.ts'
import { allPages } from '../tree.ts'
import { longFlag, readValue } from '../../src/options.ts'

const { svc } = createWorld()
const environment = (await svc('help environment')).stdout
const configuration = (await svc('help configuration')).stdout.replaceAll(/\s+/g, ' ')
const all = Object.keys(rows) as OptionKey[]
const rowOf = (key: OptionKey): Setting => rows[key]
const isOption = ({ value, group }: Setting): boolean => value !== undefined || group !== undefined
const flagOf = (key: OptionKey): string => longFlag(key, rows[key])

/** A value of each setting as it is typed. */
const examples: Readonly<Record<SettingKey, string>> = {
  output: 'table',
  limit: '10',
  concurrency: '2',
  color: 'auto',
  progress: 'auto',
  timeout: '30s',
  retries: '1',
  maxRetryWait: '30s',
  rate: '10/s',
  country: 'DE',
  caFile: '/etc/ssl/company.pem',
  proxy: 'http://proxy.example.com:3128',
}

/** Every place where a command declares it. */
const declared = (key: OptionKey) =>
  allPages.flatMap(({ options }) => options.filter(({ long }) => long === flagOf(key)))

/** Texts of which each setting takes some and refuses others. */
const texts =
  '0 1 7 33 101 -1 1.5 1e3 x! all table json auto never true 500ms 30s 12h 2d 90d 10/s 0.5/s 0/s DE de Germany'.split(
    ' ',
  )

/** In a file a whole number and yes or no are written without quotes. */
const inFile = (text: string) => (/^(?:\d+|true)$/.test(text) ? (JSON.parse(text) as number) : text)

type Env = Readonly<Record<string, string>>

interface Reading {
  readonly value?: unknown
  readonly problem?: string
}

/** `name` of the place is left out of the problem, so that places can be compared. */
function reading(read: () => unknown, name: string): Reading {
  try {
    return { value: read() }
  } catch (error) {
    if (!(error instanceof SvcError) || error.exitCode !== 2) throw error
    return { problem: error.message.replace(name, 'it') }
  }
}

function layerOf(key: OptionKey, text: string): Layer | { readonly problem: string } {
  const { content, problemSuffix: problem } = checkUserFile({ defaults: { [key]: inFile(text) } })
  return problem === undefined ? { source: 'a file', defaults: content.defaults } : { problem }
}

describe.each(settingNames)('%s', (key) => {
  const row = rowOf(key)
  const { builtIn, value: word, environment: variables = [], meanings } = row
  const parse = (text: string, what: string): unknown => readValue(row, text, what)
  const example = examples[key]
  const takesValue = word !== undefined
  const named = meanings === undefined ? variables : []
  const resolve = (typed: TypedSettings, env: Env, layers: readonly Layer[] = []) =>
    resolveSettings({ ...realHost, env }, typed, layers)[key]

  test.each(texts)('every place says the same of %s', (text) => {
    const expected = reading(() => parse(text, 'it'), 'it')
    for (const option of takesValue ? declared(key) : [])
      expect(reading(() => readValue(option, text, 'it'), 'it')).toEqual(expected)
    for (const name of named)
      expect(reading(() => resolve({}, { [name]: text }).value, name)).toEqual(expected)
    const layer = layerOf(key, text)
    const isTyped = takesValue || !isOption(row)
    const byFile = 'problem' in layer ? undefined : resolve({}, {}, [layer]).value
    expect(isTyped ? byFile : expected.value).toEqual(expected.value)
    expect('problem' in layer ? layer.problem : key).toContain(key)
  })

  test('the option comes before the variable, the variable before the file, the file before the default', () => {
    const value = parse(example, 'it')
    const file = layerOf(key, example)
    const layers = 'problem' in file ? [] : [file, { source: 'a later file', defaults: {} }]
    const env = Object.fromEntries(variables.map((name) => [name, example]))
    const typed: TypedSettings = { [key]: value }
    const byVariable = variables[0] ?? 'a file'
    const byOption = isOption(row) ? flagOf(key) : byVariable
    expect(resolve(isOption(row) ? typed : {}, env, layers).source).toBe(byOption)
    expect(resolve({}, env, layers).source).toBe(byVariable)
    expect(resolve({}, {}, layers).source).toBe('a file')
    expect(resolve({}, {})).toEqual({ value: builtIn, source: 'built-in' })
  })

  test('files have it where its row says so, and the help says where', () => {
    const defaults = { [key]: inFile(example) }
    const isTaken = (file: unknown): boolean => checkUserFile(file).problemSuffix === undefined
    expect(isTaken({ defaults })).toBe(true)
    const [, defaultsOf = '', profileOf = ''] =
      /can set these: defaults (.*?) a profile (.*?) svc uses a secret/.exec(configuration) ?? []
    expect(defaultsOf.split(', ')).toContain(key)
    expect(profileOf.split(', ').includes(key)).toBe(row.isOfProfile === true)
    const credentials = { baseUrl: 'https://a.example', apiKey: 'pk_0123456789', secretEnv: 'X' }
    const profiles = { prod: { ...credentials, ...defaults } }
    expect(isTaken({ profiles })).toBe(row.isOfProfile === true)
  })
})

test.each(all)('%s: the help names its option and its variables wherever it is declared', (key) => {
  const { environment: variables = [] } = rowOf(key)
  const options = declared(key)
  expect(options.length > 0).toBe(isOption(rowOf(key)))
  for (const name of variables) {
    expect(environment).toContain(name)
    for (const { text } of options) expect(text).toContain(name)
  }
  const isListed = variables.length > 0 && isOption(rowOf(key)) && key !== 'baseUrl'
  expect(environment).toContain(isListed ? flagOf(key) : '')
})

/** By hand, so that none is lost with its row. */
const variables =
  'FORCE_COLOR NO_COLOR SVC_BASE_URL SVC_CA_FILE SVC_CONFIG SVC_COUNTRY SVC_ERROR_FORMAT SVC_NO_INPUT SVC_OUTPUT SVC_PROFILE SVC_PROGRESS SVC_RATE SVC_RETRIES SVC_STATE_DIR SVC_TIMEOUT'

test('a setting has the variables that are promised', () => {
  const found = all.flatMap((key) => rowOf(key).environment ?? [])
  expect(found).toEqual(expect.arrayContaining(variables.split(' ')))
})

test('no command calls something else by the name of a setting', () => {
  for (const key of all)
    for (const option of declared(key)) expect([key, option.key]).toEqual([key, key])
  for (const key of Object.keys(beforeFiles)) expect(settingNames).not.toContain(key)
})

test('SVC_ERROR_FORMAT is --error-format for good', async () => {
  const json = { env: { SVC_ERROR_FORMAT: 'json' } }
  expect((await svc('lists lst', json)).stderr).toMatch(/^\{"type":"error"/)
  expect((await svc('lists lst --error-format text', json)).stderr).toMatch(/^error:/)
  expect((await svc('lists lst --json')).stderr).toMatch(/^error:/)
  const { code, stderr } = await svc('profiles list', { env: { SVC_ERROR_FORMAT: 'yaml' } })
  expect([code, stderr]).toEqual([2, expect.stringContaining('SVC_ERROR_FORMAT')])
})

test('--json is the output whatever else is said: -o json beside it, a variable, a file', () => {
  const layers = [{ source: 'a file', defaults: { output: 'csv' } }]
  const env = { SVC_OUTPUT: 'csv' }
  for (const typed of [{ json: true }, { json: true, output: 'json' }] as const)
    expect(resolveSettings({ ...realHost, env }, typed, layers).output).toEqual({
      value: 'json',
      source: '--json',
    })
})
