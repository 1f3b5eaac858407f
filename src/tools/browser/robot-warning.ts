/** Pages that want to know whether a person looks at them. */

const robotTitle =
  /just a moment|attention required|access denied|are you (?:a )?(?:human|robot)|verify you are human|captcha|bot detection|ddos-guard/i;

/** What is told of a page with this title beside it. */
export function robotWarning(title: string): { readonly bot_detection_warning?: string } {
  return robotTitle.test(title)
    ? { bot_detection_warning: `The title reads as if the site kept programs out: ${title}` }
    : {};
}
