/**
 * Words and sentences that were stumbled over, and must not come back: sentences that sound translated, British spelling, and words
 * of a private language. Each with what to say instead.
 */
export const forbidden: readonly (readonly [RegExp, string])[] = [
  // Sentences that were stumbled over.
  [/can be read once it was/, 'cannot be read yet'],
  [/this company has none of/, 'does not exist'],
  [/what is under way may end/, 'requests in flight finish'],
  [/\bbr(?:eak|eaks|oke|oken|eaking)(?: it)? off\b/, 'stop'],
  [/\bis not that\b/, 'say what it is'],
  [/what is merged into what|\bto whom\?/, 'name the option that is missing'],
  [/what is not given is asked/, 'svc asks for what you leave out'],
  [
    /\bit asks as the run did|asks (?:for confirmation |again )?as the run did/,
    'it asks for confirmation again',
  ],
  [/and neither can it/, 'a new ticket cannot be read'],
  [/how many ids ended how|\bended how\b/, 'the number of ids per outcome'],
  [/the one that joined last first/, 'newest first'],
  [/the ids that (?:are|were) not done/, 'the remaining ids'],
  [/\bpass(?:ed|es|ing)? over\b/, 'skip'],
  [/line end too many/, 'a trailing newline'],
  [/stands? (?:here )?for the second time|\bstands? twice\b/, 'appears twice'],
  [/is not encoded rightly/, 'is not valid UTF-8'],
  [/all of them: --/, 'Use --limit all for all of them.'],
  [/Expected "\w+" but received/, 'the answer has no …'],
  [/\bis one more than\b.*\btakes\b/, 'too many arguments'],
  [/with a remedy for (?:each|what)/, 'and how to fix it'],
  [/whether they work\b/, 'say what is checked'],
  [/\bOperate contacts\b/, 'manage'],
  [/may stand anywhere/, 'you can put them anywhere'],
  [/holds? a (?:blank|secret)|a name with blanks|contains a blank/, 'spaces, contains'],
  [/another (?:key|one) than (?:it|the run) began/, 'a different key from the one it started with'],
  [/takes? its share/, 'divided among the parts'],
  [/offset off it|pays? no heed/, 'say it in plain words'],
  [/\bwhoever\b|\bnobody knows\b|\bwhat there is\b|\bof late\b/, 'name who or what'],
  [/\b(?:tell|call)s? a person\b/, 'notify a person'],
  [/\bto hand on\b/, 'to share'],
  [/\bfor people who were not there\b/, 'for others to read'],
  [/\brightly\b|\bfor ever\b/, 'correctly, forever'],
  [/(?<!there )\b(?:is|are) no (?!longer\b)\w+/, 'is not a …'],
  [/(?<!one )\bof which\b/, 'say it in plain words'],
  [/between two moments|another memory|weakens no|makes no other|looks? whether/, 'say it aloud'],
  [/leaves? nothing out that|\bis waited for\b|\btold as\b|\bwhat is no\b/, 'say it aloud'],
  // One verb for one idea.
  [/\bmend(?:s|ed|ing)?\b/, 'fix'],
  [/\bgo(?:es|ing)? on (?:from|with|where|to)\b|\bto go on\b|going on after/, 'resume, continue'],
  [/\bcarr(?:y|ies|ied|ying) (?:it |them )?out\b/, 'do, apply'],
  [/\btak(?:e|es|en|ing) up\b|\btook up\b/, 'start, accept'],
  [/(?<!\/)\bsettl(?:e|es|ed|ing)\b/, 'resolve'],
  [/\blets? in\b/, 'accept'],
  [/\bdeaf\b|\bdivert/, 'the standard term'],
  [/\bunder way\b/, 'in flight'],
  [/\bbeside its place\b/, 'next to its final place'],
  // Rates.
  [
    /\b(?:ids?|rows?|requests?|messages?|lines?|objects?|pairs?|batches) an? (?:request|second|line|page|batch|chunk|ticket|run)\b/,
    'per',
  ],
  [/\b(?:one|an?) (?:id|row|object|pair|file|line|message) an? \w+\b/, 'per'],
  [/\ba line (?:an?|for each) \w+/, 'per'],
  // British spelling.
  [/\b\w*colour|\bhonour|\blicence|behaviour|\bcentre\b|\bfavour/, 'American spelling'],
  [
    /\b(?:normal|serial|recogn|organ|real|initial|author|summar|minim)is(?:e|es|ed|ing|ation)\b/,
    'American spelling',
  ],
  [/\b(?:cancell|journall|labell)(?:ed|ing)\b/, 'American spelling'],
]

export interface Finding {
  readonly where: string
  readonly found: string
  readonly instead: string
}

/** Code in fences is what the program says; it is looked at with the program's own texts. */
export function findingsIn(where: string, text: string): Finding[] {
  const prose = text.replaceAll(/\s+/g, ' ')
  return forbidden.flatMap(([pattern, instead]) =>
    [...prose.matchAll(new RegExp(pattern, 'gi'))].map(([found]) => ({ where, found, instead })),
  )
}
