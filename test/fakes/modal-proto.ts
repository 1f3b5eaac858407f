/** The messages of Modal's services that we send or get, with the numbers of their fields. */
export const serviceProto = `
syntax = "proto3";
package modal.client;

message Empty {}
message AuthTokenGetResponse { string token = 1; }
message AppGetOrCreateRequest { string app_name = 1; string environment_name = 2; int32 object_creation_type = 3; }
message AppGetOrCreateResponse { string app_id = 1; }
message EnvironmentGetOrCreateRequest { string deployment_name = 1; }
message EnvironmentSettings { string image_builder_version = 1; }
message EnvironmentMetadata { string name = 1; EnvironmentSettings settings = 2; }
message EnvironmentGetOrCreateResponse { string environment_id = 1; EnvironmentMetadata metadata = 2; }
message Image { repeated string dockerfile_commands = 6; }
message ImageGetOrCreateRequest { Image image = 2; string app_id = 4; string builder_version = 9; }
message GenericResult { int32 status = 1; string exception = 2; int32 exitcode = 3; }
message ImageGetOrCreateResponse { string image_id = 1; GenericResult result = 2; }
message ImageFromIdRequest { string image_id = 1; }
message ImageFromIdResponse { string image_id = 1; }
message Resources { uint32 memory_mb = 2; uint32 milli_cpu = 3; uint32 ephemeral_disk_mb = 6; }
message Sandbox {
  repeated string entrypoint_args = 1; string image_id = 3; Resources resources = 5; uint32 timeout_secs = 7;
  string name = 30; optional uint32 idle_timeout_secs = 33;
}
message SandboxCreateV2Request { string app_id = 1; Sandbox definition = 2; }
message CommandRouterAccess { string jwt = 1; string url = 2; }
message SandboxCreateV2Response {
  string sandbox_id = 1; string task_id = 3; CommandRouterAccess command_router_access = 5;
}
message SandboxGetFromNameRequest { string sandbox_name = 1; string environment_name = 2; string app_name = 3; }
message SandboxGetFromNameResponse { string sandbox_id = 1; }
message SandboxGetTaskIdRequest { string sandbox_id = 1; }
message SandboxGetTaskIdResponse { optional string task_id = 1; GenericResult task_result = 2; }
message SandboxGetCommandRouterAccessRequest { string sandbox_id = 1; string task_id = 2; }
message SandboxWaitRequest { string sandbox_id = 1; float timeout = 2; }
message SandboxWaitResponse { GenericResult result = 1; }
message SandboxTerminateRequest { string sandbox_id = 1; }
message SandboxTerminateResponse { GenericResult existing_result = 1; }

service ModalClient {
  rpc AuthTokenGet (Empty) returns (AuthTokenGetResponse);
  rpc AppGetOrCreate (AppGetOrCreateRequest) returns (AppGetOrCreateResponse);
  rpc EnvironmentGetOrCreate (EnvironmentGetOrCreateRequest) returns (EnvironmentGetOrCreateResponse);
  rpc ImageGetOrCreate (ImageGetOrCreateRequest) returns (ImageGetOrCreateResponse);
  rpc ImageFromId (ImageFromIdRequest) returns (ImageFromIdResponse);
  rpc SandboxCreateV2 (SandboxCreateV2Request) returns (SandboxCreateV2Response);
  rpc SandboxGetFromName (SandboxGetFromNameRequest) returns (SandboxGetFromNameResponse);
  rpc SandboxGetFromNameV2 (SandboxGetFromNameRequest) returns (SandboxGetFromNameResponse);
  rpc SandboxGetTaskIdV2 (SandboxGetTaskIdRequest) returns (SandboxGetTaskIdResponse);
  rpc SandboxGetCommandRouterAccess (SandboxGetCommandRouterAccessRequest) returns (CommandRouterAccess);
  rpc SandboxWaitV2 (SandboxWaitRequest) returns (SandboxWaitResponse);
  rpc SandboxTerminateV2 (SandboxTerminateRequest) returns (SandboxTerminateResponse);
}
`;

export const routerProto = `
syntax = "proto3";
package modal.task_command_router;

message TaskExecStartRequest {
  string task_id = 1; string exec_id = 2; repeated string command_args = 3; optional uint32 timeout_secs = 6;
}
message TaskExecStartResponse {}
message TaskExecStdioReadRequest { string task_id = 1; string exec_id = 2; uint64 offset = 3; int32 file_descriptor = 4; }
message TaskExecStdioReadResponse { bytes data = 1; }
message TaskExecStdinWriteRequest { string task_id = 1; string exec_id = 2; uint64 offset = 3; bytes data = 4; bool eof = 5; }
message TaskExecStdinWriteResponse {}
message TaskExecWaitRequest { string task_id = 1; string exec_id = 2; }
message TaskExecWaitResponse { optional int32 code = 1; optional int32 signal = 2; }
message TaskSnapshotFilesystemRequest { string task_id = 1; string snapshot_id = 2; optional int64 ttl_seconds = 3; }
message TaskSnapshotFilesystemResponse { string image_id = 1; }

service TaskCommandRouter {
  rpc TaskExecStart (TaskExecStartRequest) returns (TaskExecStartResponse);
  rpc TaskExecStdioRead (TaskExecStdioReadRequest) returns (stream TaskExecStdioReadResponse);
  rpc TaskExecStdinWrite (TaskExecStdinWriteRequest) returns (TaskExecStdinWriteResponse);
  rpc TaskExecWait (TaskExecWaitRequest) returns (TaskExecWaitResponse);
  rpc TaskSnapshotFilesystem (TaskSnapshotFilesystemRequest) returns (TaskSnapshotFilesystemResponse);
}
`;
