/** The variables of an environment, handed in: those of the shell, or those with `.env` laid over them. */

/** Variables by name. Secrets are among them: never log it. */
export type Variables = Readonly<Record<string, string | undefined>>;
