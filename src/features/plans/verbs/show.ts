import { limitOption } from '../../../cli/global-options.ts'
import { defineVerb } from '../../../cli/verb.ts'
import { exit } from '../../../errors.ts'
import { columnsFor } from '../../../output/columns.ts'
import { document } from '../../../output/result.ts'
import { operationOf } from '../../../runs/operations/operations.ts'
import type { PlannedItem } from '../describe.ts'

/** `sides`: what the two parties of a pair are. `hasNames`: names and lists were read. */
function columnsOf([first, second]: readonly string[], hasNames: boolean) {
  const id = first === undefined ? 'id' : `id as ${first.toUpperCase()}`
  const names = hasNames ? ['name'] : []
  const lists = hasNames ? ['lists'] : []
  if (second === undefined) return columnsFor(id, ...names, ...lists)
  const title = second.toUpperCase()
  const otherNames = hasNames ? [`otherName as ${title} NAME`] : []
  return columnsFor(id, ...names, `other:id as ${title}`, ...otherNames, ...lists)
}

export const verb = defineVerb({
  description:
    'Show what a plan would do: on which service, to how many, who planned it and ' +
    'why, when it expires, its SHA-256, and whether it was applied in this state ' +
    'folder. Then show every contact or ticket; --who adds the names and lists that ' +
    'the service has. A damaged or expired plan is exit 6.',
  examples: [
    'svc plans show old.plan',
    'svc plans show old.plan --limit all',
    'svc plans show old.plan --who --out review.xlsx',
  ],
  arguments: [
    {
      name: 'plan',
      takes: 'file',
      summary: 'the file that --plan wrote',
      isRequired: true,
    },
  ],
  options: {
    ...limitOption,
    who: { summary: 'read names and lists of contacts from the service' },
  },
  effect: 'reads',
  shows: {
    columns: columnsOf(['source', 'target'], true),
    isDocument: true,
    row: async () => (await import('../describe.ts')).PlannedItem,
    id: ({ id }: PlannedItem) => id,
    schema: async () => (await import('../describe.ts')).ShownPlan,
  },
  run: async (context, [path], { who: isNamed = false }) => {
    const [{ readPlan }, { describePlan, itemsOf }] = await Promise.all([
      import('../plan-file.ts'),
      import('../describe.ts'),
    ])
    const plan = readPlan(context.host, path)
    const { details, isExpired, document: shown } = await describePlan(context, plan)
    const { item, pairs } = operationOf(shown.operation)
    const rows = await itemsOf(context, plan, isNamed)
    const items = rows.slice(0, context.print.rowLimit)
    const sides = plan.items.kind === 'pairs' ? (pairs?.columns ?? []) : []
    return {
      ...document({ ...shown, items }, rows, isExpired ? exit.rejected : exit.done),
      columns: columnsOf(sides, isNamed && item === 'contact'),
      details,
      what: `${item}s`,
    }
  },
})
