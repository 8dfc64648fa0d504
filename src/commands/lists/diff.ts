import type { Api } from '../../api/client.ts'
import { findList, parseReference } from '../../api/names.ts'
import { exit, usageError } from '../../errors.ts'
import type { Context, Verb } from '../../cli/verb.ts'
import { collect, examples } from '../../cli/options.ts'
import type { Compared } from '../../directory/difference.ts'
import type { NamedList } from '../../directory/reading.ts'
import { rows, type Ending } from '../../output/result.ts'
import { listDifferenceView, sides, type ListDifference } from '../../resources/list-difference.ts'
import { parseChoice } from '../../values.ts'
import { grouped } from '../../words.ts'
import { readingOptions, readTable } from '../id-reading.ts'
import { noteNear } from '../near-names.ts'

export const diff: Verb = (lists, run) =>
  readingOptions(
    lists
      .command('diff')
      .option('--file <path>', 'a file of ids as the right side, or - for standard input', collect, [] as string[]),
  )
    .summary('compare a list with another list, or with a file of ids')
    .description(
      'Compare a list with another list, or with a file of contact ids: which contacts are only in one of them. It never\n' +
        'changes anything: the service cannot take a contact off a list. The exit code is 0 when both are equal, else 3.',
    )
    .argument('<list>', 'list id or name: the left side')
    .argument('[other]', 'list id or name: the right side')
    .option('--only <side>', `only these rows: ${sides.join(', ')} (default: those that differ)`, (text) =>
      parseChoice(text, '--only', sides),
    )
    .option('--allow-empty', 'accept a file without any id (default: exit 2)')
    .addHelpText(
      'after',
      examples('svc lists diff VIP "Campaign 223"', 'svc lists diff VIP --file ids.txt --only left -o ids'),
    )
    .action(
      run(listDifferenceView, async (context, list, other, options) => {
        const { only, allowEmpty, file, ...reading } = options
        if ((other === undefined) === (file.length === 0))
          throw usageError('name the list to compare with, or a file with --file', 'svc lists diff <list> <list>')
        for (const text of [list, other]) if (text !== undefined) parseReference(text, 'list')
        const ids = other === undefined ? await readTable(context, file, reading) : undefined
        if (ids?.size === 0 && allowEmpty !== true)
          throw usageError('the file has no ids', 'if that is intended, add --allow-empty')
        const api = await context.api()
        const { differences } = await import('../../directory/difference.ts')
        const left = await namedList(context, api, list)
        const right = ids === undefined ? await namedList(context, api, other ?? '') : { name: file.join(', '), ids }
        const differing = shown(differences(api, left, right), only, [left.name, right.name])
        return rows(differing, { what: 'contacts', empty: only === undefined ? 'no differences' : 'no such contacts' })
      }),
    )

async function namedList(context: Context, api: Api, text: string): Promise<NamedList> {
  const { id, name, list } = await findList(api, text, noteNear(context))
  return { id, name: list?.name ?? name ?? id }
}

/** The rows that were asked for; the counts are of all. */
async function* shown(
  all: AsyncGenerator<ListDifference, Compared>,
  only: ListDifference['where'] | undefined,
  [left, right]: readonly [string, string],
): AsyncGenerator<ListDifference, Ending> {
  let compared: Compared | undefined
  async function* keeping(): AsyncGenerator<ListDifference, void> {
    compared = yield* all
  }
  for await (const row of keeping()) if (only === undefined ? row.where !== 'both' : row.where === only) yield row
  const { moved, ...counts } = compared ?? { left: 0, right: 0, both: 0, moved: [] }
  const said = `${grouped(counts.left)} only in "${left}", ${grouped(counts.right)} only in "${right}"`
  return {
    notes: [
      ...moved.map((name) => `"${name}" changed while it was read: some rows may be wrong or missing`),
      `${said}, ${grouped(counts.both)} in both`,
    ],
    ...(counts.left + counts.right > 0 ? { exitCode: exit.incomplete } : {}),
  }
}
