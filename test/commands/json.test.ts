/** `svc help --json`: what it says is what the commands take. */
import { describe, expect, test } from 'vitest'
import { formats } from '../../src/output/format.ts'
import type { Option } from '../../src/options.ts'
import { createSandboxWorld } from '../svc.ts'

const { svc } = await createSandboxWorld()
const json = (text: string): unknown => JSON.parse(text)

interface Help {
  readonly command: string
  readonly options: readonly (Option & { readonly name: string })[]
  readonly examples?: readonly string[]
  readonly commands: readonly Help[]
}

function all(help: Help): Help[] {
  return [help, ...help.commands.flatMap(all)]
}

const help = json((await svc('help --json')).stdout) as Help & { readonly schema: string }
const commands = all(help)

describe('svc help --json', () => {
  test('is every command, with what its options take', () => {
    expect(help.schema).toBe('svc.help/2')
    const options = commands.flatMap((each) => each.options)
    const output = options.find(({ name }) => name === '--output')
    expect(output).toMatchObject({ choices: [...formats], environment: ['SVC_OUTPUT'] })
    for (const { name, summary, choices = [] } of options)
      for (const value of choices) expect(summary, name).toContain(value)
    expect(options.find(({ name }) => name === '--file')?.isRepeatable).toBe(true)
    const deletion = commands.find(({ command }) => command === 'svc contacts delete')
    expect(deletion).toMatchObject({ effect: 'contacts.delete', arguments: [{ name: 'id' }] })
  })

  test('of one command, and of nothing else', async () => {
    const { stdout } = await svc('help lists list --json')
    expect(json(stdout)).toMatchObject({ command: 'svc lists list', commands: [] })
    for (const words of [
      'help nothing --json',
      'help bulk --json',
      'help lists nothing --json',
      'help -o csv',
    ]) {
      const { code, stdout: none } = await svc(words)
      expect([words, code, none]).toEqual([words, 2, ''])
    }
  })
})
