import { defineCommand } from '../../cli/command.ts'
import { exit } from '../../errors.ts'
import { document, text } from '../../output/result.ts'
import { planView, type PlannedId } from '../../resources/plan.ts'

export const show = defineCommand({
  path: 'plans show',
  summary: 'show what a plan would do, who planned it, and who signed it',
  description:
    'Show what a plan would do, on which service, to how many, who planned it and why, when it expires, and who signed\n' +
    'it. -o xlsx has every id, for reviewers. A plan that is damaged or has expired is exit 6.',
  examples: ['svc plans show old.plan', 'svc plans show old.plan --out old.xlsx'],
  arguments: [{ name: 'plan', summary: 'the file that --plan wrote', isRequired: true }],
  effect: 'reads',
  shows: planView(async () => (await import('../../plans/describe.ts')).ShownPlan),
  run: async (context, path) => {
    const [{ readPlan, tellOthers }, { readPeople }, { describePlan }] = await Promise.all([
      import('../../plans/plan-place.ts'),
      import('../../plans/people-file.ts'),
      import('../../plans/describe.ts'),
    ])
    const found = readPlan(context.host, path)
    tellOthers(context, found)
    const { title, isExpired, facts, document: shown } = await describePlan(context, found)
    const { ids, pairs = [], peopleSha256 } = found.plan.document
    const { people, problem } = readPeople(context.host, path, peopleSha256)
    if (problem !== undefined) context.note(problem)
    const row = (id: string, other: string | null): PlannedId => {
      const { name = '', lists = [] } = people.get(id) ?? {}
      return { id, other, name, lists }
    }
    const rows = ids?.map((id) => row(id, null)) ?? pairs.map(([id, other]) => row(id, other))
    const exitCode = isExpired ? exit.rejected : exit.done
    const lines = [['Plan', title] as const, ...facts].map(([name, value]) => `${name.padEnd(12)}${value}\n`)
    return { ...text(lines.join(''), exitCode), data: () => document(shown, rows, exitCode) }
  },
})
