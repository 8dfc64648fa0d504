import { defineCommand, type Verb } from '../../cli/verb.ts'
import { record } from '../../output/result.ts'
import { approvalView } from '../../resources/plan.ts'

export const approve: Verb = (plans, run) =>
  defineCommand(plans, 'approve', 'sign a plan with your SSH key', [
    'svc plans approve old.plan',
    'svc plans approve old.plan --key ben.pub',
  ])
    .description(
      'Show a plan, ask how many contacts or tickets it changes, and sign it with your SSH key, which may be in the agent or on\n' +
        'hardware. --yes does not answer that question. The signature is written next to the plan. No request is sent.',
    )
    .argument('<plan>', 'the file that --plan wrote')
    .option('--key <file>', 'your private key, or its public half if the agent has it (default: as ssh looks for it)')
    .action(
      run(approvalView, async (context, path, options) => {
        const { approvePlan } = await import('../../plans/approve.ts')
        return record(await approvePlan(context, path, options.key))
      }),
    )
