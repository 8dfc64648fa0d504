/** Inputs that are deleted and written again with their outcomes. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createBulkWorld } from './bulk-world.ts'

/** An id that nobody has, and why it is not deleted. */
export const absent = 'aaaaaaaaaaaaaaaaaaaaaaaa'
export const notFound = 'there is no such contact'

export const remove = (from: string, more: string): string =>
  `contacts delete --file ${from} --yes ${more}`

export async function createAnnotateWorld() {
  const world = await createBulkWorld()
  let files = 0
  const input = (content: string | Buffer, name = 'in.csv'): string => {
    const path = join(world.folder, `${(files += 1)}-in-${name}`)
    writeFileSync(path, content)
    return path
  }
  const output = (ending = 'csv'): string => world.output(ending)
  return {
    ...world,
    input,
    output,
    /** A contact that was not asked for before. */
    freshId: (): string => world.fresh(1).join(''),
    /** Deletes what is in an input, and gives what was written beside it. */
    async annotated(content: string | Buffer, more = '', name?: string): Promise<string> {
      const out = output()
      await world.bulk(remove(input(content, name), `--annotate ${out} ${more}`))
      return readFileSync(out, 'latin1')
    },
  }
}
