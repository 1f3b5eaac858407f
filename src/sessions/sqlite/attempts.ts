/** What was attempted, in the words that complete "Cannot …". */

export const OPENING = 'open the session store';
export const READING = 'read the session store';
export const SAVING = 'save the conversation';
export const DELETING = 'delete sessions';
