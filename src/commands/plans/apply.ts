import { applyOptions, collect } from '../../cli/options.ts'
import { defineCommand, schemaOf, type Verb } from '../../cli/verb.ts'
import { assignOutcomeView } from '../../resources/bulk.ts'

export const apply: Verb = (plans, run) =>
  applyOptions(
    defineCommand(plans, 'apply', 'apply a plan, once', [
      'svc plans apply old.plan --yes',
      'svc plans apply old.plan --approval ben.sig --yes',
    ]),
  )
    .description(
      'Apply a plan: exactly what it says, once in a state folder. The same command resumes it, or sends nothing when it is\n' +
        'done, also after its record was pruned: to do it again, write a new plan. A plan that is damaged, has expired or is for\n' +
        'another service is exit 6; one that lacks approvals which a policy wants is exit 5.',
    )
    .argument('<plan>', 'the file that --plan wrote')
    .option('--annotate <file>', 'write the input again with the outcome of each row to this .csv or .xlsx file')
    .option('--file <path>', 'the input of the plan, where it has moved (with --annotate)')
    .option('--approval <signature>', 'a signature that is not next to the plan; repeatable', collect, [] as string[])
    .action(
      run({ ...assignOutcomeView, schema: schemaOf('Summary') }, async (context, path, options) => {
        const [{ readPlan, tellOthers }, { planToApply }] = await Promise.all([
          import('../../plans/plan-place.ts'),
          import('../../plans/apply.ts'),
        ])
        const found = await readPlan(path, options.approval)
        tellOthers(context, found)
        const { plan, target } = await planToApply(context, found, options)
        return context.bulk.execute(plan, target)
      }),
    )
