/** `svc help --json` and `svc help schema`: what they say is what the commands take and write. */
import { join } from 'node:path'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { choices } from '../../src/program/choices.ts'
import { ConfigurationPlace } from '../../src/resources/documents.ts'
import { createWorld } from '../svc.ts'

const { svc, folder } = createWorld()
const json = (text: string): unknown => JSON.parse(text)

interface Help {
  readonly command: string
  readonly arguments: readonly { readonly name: string; readonly required: boolean; readonly values?: string[] }[]
  readonly options: readonly {
    readonly name: string
    readonly type: string
    readonly values?: string[]
    readonly default?: string
    readonly environment?: string[]
    readonly repeatable: boolean
    readonly description: string
  }[]
  readonly examples: readonly string[]
  readonly commands: readonly Help[]
}

function all(help: Help): Help[] {
  return [help, ...help.commands.flatMap(all)]
}

const help = json((await svc('help --json')).stdout) as Help & { readonly schema: string }
const commands = all(help)

describe('svc help --json', () => {
  test('is every command, with what its options take', () => {
    expect(help.schema).toBe('svc.help/1')
    const options = commands.flatMap((each) => each.options)
    const output = options.find(({ name }) => name === '--output')
    expect(output).toMatchObject({ type: 'string', values: choices['--output'], default: 'table' })
    expect(output?.environment).toEqual(['SVC_OUTPUT'])
    for (const { name, description, default: byDefault, values } of options) {
      expect([name, byDefault !== undefined]).toEqual([name, description.includes('default: ')])
      for (const value of values ?? []) expect([name, description]).toEqual([name, expect.stringContaining(value)])
    }
    expect(options.filter(({ repeatable }) => repeatable).map(({ name }) => name)).toContain('--file')
  })

  test('of one command, and of nothing else', async () => {
    const { stdout } = await svc('help lists list --json')
    expect(json(stdout)).toMatchObject({ command: 'svc lists list', commands: [] })
    for (const words of ['help nothing --json', 'help bulk --json', 'help lists nothing --json', 'help -o csv']) {
      const { code, stdout: none } = await svc(words)
      expect([words, code, none]).toEqual([words, 2, ''])
    }
  })
})

describe('svc help schema', () => {
  test('is the same with --json, and needs a command with a JSON form', async () => {
    expect(await svc('help schema whoami --json')).toEqual(await svc('help schema whoami'))
    for (const words of ['lists', 'nothing', 'completion', 'sandbox exec'])
      expect(await svc(`help schema ${words}`)).toMatchObject({ code: 2, stdout: '' })
  })

  test('a place that is not known is null', async () => {
    const env = { HOME: undefined, XDG_STATE_HOME: undefined, SVC_STATE_DIR: undefined }
    const path = json((await svc(`profiles path --config ${join(folder, 'none.json')} --json`, { env })).stdout)
    expect(path).toMatchObject({ stateDir: null })
    expect(v.parse(ConfigurationPlace, path)).toEqual(path)
  })
})
