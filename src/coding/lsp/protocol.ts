/** What we say of ourselves to a server: a client that wants to know what is wrong, and nothing else. */
export const clientCapabilities = {
  general: { positionEncodings: ['utf-16'] },
  textDocument: {
    synchronization: { didSave: true },
    publishDiagnostics: { versionSupport: true, relatedInformation: false },
    diagnostic: { dynamicRegistration: true, relatedDocumentSupport: false },
  },
  workspace: {
    configuration: true,
    workspaceFolders: true,
    didChangeConfiguration: { dynamicRegistration: false },
    diagnostics: { refreshSupport: true },
  },
  window: { workDoneProgress: true },
} as const;
